// Work that the user started is a notification that can be cancelled; what the server starts itself stays in the
// status bar, where the language client puts it.

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { ExecuteCommandRequest, type LanguageClient, WorkDoneProgress } from "vscode-languageclient/node";
import * as protocol from "./protocol";

const titles: Record<string, string> = {
  [protocol.serverCommands.draft]: "Drafting",
  [protocol.serverCommands.refine]: "Refining",
};

/** Sends a command of the server, and shows the progress of those that take long. */
export async function execute(client: LanguageClient, command: string, args: unknown[]): Promise<unknown> {
  const title = titles[command];
  if (title === undefined) {
    return client.sendRequest(ExecuteCommandRequest.type, { command, arguments: args });
  }
  const argument = args[0] as protocol.EntryArgument | undefined;
  const options: vscode.ProgressOptions = {
    location: vscode.ProgressLocation.Notification,
    title: argument?.entry ? `${title} ${argument.entry}` : title,
    cancellable: true,
  };
  return vscode.window.withProgress(options, (progress, cancellation) =>
    follow(client, command, args, progress, cancellation),
  );
}

async function follow(
  client: LanguageClient,
  command: string,
  args: unknown[],
  progress: vscode.Progress<{ message?: string; increment?: number }>,
  cancellation: vscode.CancellationToken,
): Promise<unknown> {
  const workDoneToken = randomUUID();
  const state = { begun: false };
  let percentage = 0;
  let finished = () => {};
  const end = new Promise<void>((resolve) => (finished = resolve));
  const subscriptions = [
    client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
      state.begun = true;
      if (value.kind === "end") {
        return finished();
      }
      const increment = Math.max(0, (value.percentage ?? percentage) - percentage);
      percentage += increment;
      progress.report({ increment, ...(value.message === undefined ? {} : { message: value.message }) });
    }),
    cancellation.onCancellationRequested(() => {
      const request = { command: protocol.serverCommands.cancel, arguments: args };
      client.sendRequest(ExecuteCommandRequest.type, request).then(finished, finished);
    }),
    client.onDidChangeState(() => finished()),
  ];
  try {
    const answer: unknown = await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: args, workDoneToken });
    // The answer says that the job began; the progress says when it ends.
    if (state.begun) {
      await end;
    }
    return answer;
  } finally {
    for (const subscription of subscriptions) {
      subscription.dispose();
    }
  }
}
