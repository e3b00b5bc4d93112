// What the user allows: the workspace's code to be run at all, and to be run at every save.

import * as vscode from "vscode";
import { DidChangeConfigurationNotification, type LanguageClient } from "vscode-languageclient/node";
import type { KernelDocuments } from "./documents";
import * as protocol from "./protocol";

const remembered = "verify.onSave";

/** Whether a save verifies: the setting, or the answer to a question that each workspace is asked once. */
export class Consent implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  private client: LanguageClient | undefined;
  private asking = false;

  constructor(
    private readonly state: vscode.Memento,
    documents: KernelDocuments,
  ) {
    this.subscription = vscode.workspace.onDidSaveTextDocument((document) => {
      if (documents.has(document)) {
        void this.ask(document);
      }
    });
  }

  attach(client: LanguageClient): void {
    this.client = client;
  }

  verifiesOnSave(): boolean {
    const setting = vscode.workspace.getConfiguration("kernelwright").get<string>("verify.onSave", "ask");
    return setting === "always" || (setting === "ask" && this.state.get<boolean>(remembered, false));
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private async ask(document: vscode.TextDocument): Promise<void> {
    const setting = vscode.workspace.getConfiguration("kernelwright").get<string>("verify.onSave", "ask");
    const answered = this.state.get<boolean>(remembered) !== undefined;
    if (setting !== "ask" || answered || this.asking || !vscode.workspace.isTrusted) {
      return;
    }
    this.asking = true;
    const yes = "Verify on Save";
    const no = "Only When Asked";
    const answer = await vscode.window.showInformationMessage(
      "Verify the kernels of this workspace whenever a file is saved? Kernelwright compiles and runs them in a sandbox.",
      yes,
      no,
    );
    this.asking = false;
    if (answer === undefined) {
      return;
    }
    await this.state.update(remembered, answer === yes);
    await this.client?.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
    if (answer === yes) {
      const argument: protocol.EntryArgument = { uri: document.uri.toString(), entry: null };
      await vscode.commands.executeCommand(protocol.serverCommands.verify, argument);
    }
  }
}

/** Tells the server when the user begins to trust the workspace; trust is taken back only by a reload. */
export function forwardTrust(client: LanguageClient): vscode.Disposable {
  return vscode.workspace.onDidGrantWorkspaceTrust(() => client.sendNotification(protocol.trust, { trusted: true }));
}
