// What the extension says of itself in package.json.

import type * as vscode from "vscode";

export interface Manifest {
  version: string;
  contributes: { configuration: { properties: Record<string, unknown> } };
}

export function manifestOf(context: vscode.ExtensionContext): Manifest {
  return context.extension.packageJSON as Manifest;
}
