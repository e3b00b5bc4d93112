// Debug Information: what a report of a problem should contain. No key, no password, no text of a file.

import * as vscode from "vscode";
import type { Server } from "./client";
import { manifestOf } from "./manifest";
import { redacted } from "./redaction";
import type { ModelKeys } from "./secrets";
import type { Status } from "./status";

export async function debugInformation(
  context: vscode.ExtensionContext,
  server: Server,
  keys: ModelKeys,
  status: Status,
): Promise<string> {
  const info = server.client?.initializeResult?.serverInfo;
  const names = await keys.names();
  const rows: [string, string][] = [
    ["Extension", manifestOf(context).version],
    ["Editor", `${vscode.env.appName} ${vscode.version} (${process.platform} ${process.arch})`],
    ["Server", info === undefined ? "does not run" : `${info.name} ${info.version ?? ""}`.trim()],
    ["Found in", server.origin],
    ["Status", status.text.replace(/\$\([^)]*\)\s*/, "")],
    ["Workspace", vscode.workspace.isTrusted ? "trusted" : "not trusted"],
    ["Model keys", names.length === 0 ? "none" : names.join(", ")],
  ];
  const settings = vscode.workspace.getConfiguration("kernelwright");
  const lines = rows.map(([name, value]) => `${name}: ${value}`);
  return redacted(`${lines.join("\n")}\n\nSettings:\n${JSON.stringify(settings, undefined, 2)}\n`);
}
