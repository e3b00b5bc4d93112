// The editor's own models answer the server's request for a completion.

import * as vscode from "vscode";
import { type CancellationToken, type LanguageClient, LSPErrorCodes, ResponseError } from "vscode-languageclient/node";
import * as protocol from "./protocol";

export function offerModels(client: LanguageClient): vscode.Disposable {
  return client.onRequest(protocol.complete, (request, token) => complete(request, token));
}

/** Whether this editor has a model now. Extensions that bring one may say so some time after the start. */
export async function hasModels(): Promise<boolean> {
  return (await vscode.lm.selectChatModels()).length > 0;
}

async function complete(request: protocol.CompletionRequest, token: CancellationToken): Promise<{ text: string }> {
  const models = await vscode.lm.selectChatModels(request.model ? { family: request.model } : {});
  const [model] = models;
  if (model === undefined) {
    const which = request.model ? `no model of family '${request.model}'` : "no model";
    throw new ResponseError(
      LSPErrorCodes.RequestFailed,
      `This editor has ${which}. Install an extension that provides one, or set a key with 'Kernelwright: Set Model Key…'.`,
    );
  }
  const options: vscode.LanguageModelChatRequestOptions = {
    justification: "Kernelwright drafts or refines the kernel that you asked for.",
    ...(request.max_tokens === undefined ? {} : { modelOptions: { max_tokens: request.max_tokens } }),
  };
  try {
    const response = await model.sendRequest(request.messages.map(asMessage), options, token);
    let text = "";
    for await (const part of response.text) {
      text += part;
    }
    return { text };
  } catch (error) {
    if (error instanceof vscode.LanguageModelError) {
      const what = `${model.name} refused (${error.code || "error"}): ${error.message}`;
      throw new ResponseError(LSPErrorCodes.RequestFailed, what);
    }
    throw error;
  }
}

/** The editor's models know no system role: such a message goes first, as the user's. */
function asMessage(message: protocol.CompletionRequest["messages"][number]): vscode.LanguageModelChatMessage {
  return message.role === "assistant"
    ? vscode.LanguageModelChatMessage.Assistant(message.content)
    : vscode.LanguageModelChatMessage.User(message.content);
}
