// Keys of models: kept by the editor, given to the server in its environment, and written nowhere else.

import * as vscode from "vscode";

const store = "kernelwright.modelKeys";
// A key must not be able to set just any variable of the server's process (PATH, LD_PRELOAD, PYTHONPATH).
const allowedName = /^[A-Z][A-Z0-9_]*_(?:API_KEY|ACCESS_KEY|KEY|TOKEN)$/;
const wellKnown = [
  ["ANTHROPIC_API_KEY", "Anthropic"],
  ["OPENAI_API_KEY", "OpenAI, and servers that speak its protocol"],
  ["GEMINI_API_KEY", "Google Gemini"],
  ["DEEPSEEK_API_KEY", "DeepSeek"],
  ["MISTRAL_API_KEY", "Mistral"],
  ["OPENROUTER_API_KEY", "OpenRouter"],
  ["KERNELWRIGHT_API_KEY", "The server at the address in your user setting kernelwright.agent.generator"],
] as const;

export class ModelKeys {
  constructor(private readonly secrets: vscode.SecretStorage) {}

  /** The variables for the server's process: the keys, and the address that the one for a server of one's own belongs to. */
  async environment(): Promise<Record<string, string>> {
    const address = ownAddress();
    return { ...(address === undefined ? {} : { KERNELWRIGHT_API_BASE: address }), ...(await this.stored()) };
  }

  private async stored(): Promise<Record<string, string>> {
    const stored = await this.secrets.get(store);
    return stored === undefined ? {} : (JSON.parse(stored) as Record<string, string>);
  }

  /** Their names, which may be shown. */
  async names(): Promise<string[]> {
    return Object.keys(await this.stored()).sort();
  }

  async set(name: string, value: string): Promise<void> {
    if (!allowedName.test(name)) {
      throw new Error(`'${name}' is no name of a key: it must be in capitals and end with _API_KEY, _KEY or _TOKEN.`);
    }
    await this.secrets.store(store, JSON.stringify({ ...(await this.stored()), [name]: value }));
  }

  async remove(name: string): Promise<void> {
    const { [name]: _, ...rest } = await this.stored();
    await this.secrets.store(store, JSON.stringify(rest));
  }

  /** Ask for a name and a key. @returns whether one was set. */
  async askToSet(): Promise<boolean> {
    const other = "Another…";
    const picked = await vscode.window.showQuickPick(
      [...wellKnown.map(([label, description]) => ({ label, description })), { label: other, description: "" }],
      { title: "Set Model Key", placeHolder: "Which provider is the key for?" },
    );
    const name =
      picked?.label === other
        ? await vscode.window.showInputBox({
            title: "Set Model Key",
            prompt: "The variable in which litellm expects the key, such as GROQ_API_KEY",
            validateInput: (text) => (allowedName.test(text) ? undefined : "Use capitals and end the name with _API_KEY, _KEY or _TOKEN"),
          })
        : picked?.label;
    if (name === undefined) {
      return false;
    }
    const value = await vscode.window.showInputBox({
      title: `Set ${name}`,
      prompt: "The key is kept in the editor's secret storage and passed to the server in its environment.",
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) => (text.trim() === "" ? "A key is not empty" : undefined),
    });
    if (value === undefined) {
      return false;
    }
    await this.set(name, value.trim());
    return true;
  }

  /** Ask which key to forget. @returns whether one was removed. */
  async askToRemove(): Promise<boolean> {
    const names = await this.names();
    if (names.length === 0) {
      await vscode.window.showInformationMessage("No model key is stored.");
      return false;
    }
    const name = await vscode.window.showQuickPick(names, { title: "Remove Model Key" });
    if (name === undefined) {
      return false;
    }
    await this.remove(name);
    return true;
  }
}

/** The address of a model that the user's own settings name; what a workspace's settings name gets no key. */
function ownAddress(): string | undefined {
  const generator = vscode.workspace.getConfiguration("kernelwright").inspect<string>("agent.generator")?.globalValue;
  return generator?.includes("://") ? generator : process.env.KERNELWRIGHT_API_BASE;
}
