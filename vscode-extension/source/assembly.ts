// A kernel's PTX or SASS beside its source. Where the cursor stands in one, the lines of the other that belong to it are
// marked; a save of the source compiles anew what is shown of it.

import * as vscode from "vscode";
import { ExecuteCommandRequest, type LanguageClient } from "vscode-languageclient/node";
import { isKernelDocument } from "./documents";
import * as protocol from "./protocol";

type Form = "ptx" | "sass";

interface Shown {
  /** What was asked, to ask it again. */
  argument: protocol.AssemblyArgument;
  answer: protocol.AssemblyAnswer;
}

/** Lines, from 0, that are marked at this moment. */
export interface Marked {
  source: readonly number[];
  assembly: readonly number[];
}

export class Assembly implements vscode.Disposable {
  private readonly shown = new Map<string, Shown>();
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.wordHighlightStrongBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.wordHighlightStrongForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
  private readonly subscriptions: vscode.Disposable;
  private now: Marked = { source: [], assembly: [] };

  constructor(private readonly client: () => LanguageClient | undefined) {
    const register = vscode.commands.registerCommand;
    this.subscriptions = vscode.Disposable.from(
      this.mark,
      register("kernelwright.showPtx", () => this.showHere("ptx")),
      register("kernelwright.showSass", () => this.showHere("sass")),
      register("kernelwright.showAssemblyFor", () => this.chooseArchitecture()),
      vscode.window.onDidChangeTextEditorSelection((event) => this.follow(event.textEditor, true)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.follow(vscode.window.activeTextEditor, false)),
      // An edit puts the lines out of step; a text of the server's that came again puts them back.
      vscode.workspace.onDidChangeTextDocument(() => this.follow(vscode.window.activeTextEditor, false)),
      vscode.workspace.onDidSaveTextDocument((document) => this.compileAgain(document)),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (this.shown.delete(document.uri.toString())) {
          this.follow(vscode.window.activeTextEditor, false);
        }
      }),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  /** What is marked, for tests: an editor does not tell its decorations. */
  get marked(): Marked {
    return this.now;
  }

  /** Show the assembly of the kernel at the cursor, or of all kernels where there is none. */
  async showHere(form: Form, architecture?: string): Promise<vscode.TextEditor | undefined> {
    const editor = this.kernelEditor();
    const client = this.client();
    if (editor === undefined || client === undefined) {
      await vscode.window.showInformationMessage("Open a CUDA file first.");
      return undefined;
    }
    const argument: protocol.AssemblyArgument = {
      uri: client.code2ProtocolConverter.asUri(editor.document.uri),
      entry: null,
      position: client.code2ProtocolConverter.asPosition(editor.selection.active),
      form,
      ...(architecture === undefined ? {} : { architecture }),
    };
    return this.show(argument);
  }

  /** Ask the server for an assembly and open it beside its source. What goes wrong is shown to the user. */
  async show(argument: protocol.AssemblyArgument): Promise<vscode.TextEditor | undefined> {
    const title = `Compiling for ${argument.form === "sass" ? "SASS" : "PTX"}`;
    const options = { location: vscode.ProgressLocation.Window, title };
    try {
      const shown = await vscode.window.withProgress(options, () => this.ask(argument));
      const uri = vscode.Uri.parse(shown.answer.uri);
      const document = await vscode.workspace.openTextDocument(uri);
      // Where a tab shows it already, that one is used.
      const open = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === uri.toString());
      const column = open?.viewColumn ?? vscode.ViewColumn.Beside;
      const editor = await vscode.window.showTextDocument(document, { viewColumn: column, preserveFocus: true, preview: false });
      this.follow(vscode.window.activeTextEditor, true);
      return editor;
    } catch (error) {
      void vscode.window.showErrorMessage(`The assembly cannot be shown: ${(error as Error).message}`);
      return undefined;
    }
  }

  private kernelEditor(): vscode.TextEditor | undefined {
    const active = vscode.window.activeTextEditor;
    if (active !== undefined && isKernelDocument(active.document)) {
      return active;
    }
    // The cursor may stand in the assembly, of which another form is wanted.
    const shown = active === undefined ? undefined : this.shown.get(active.document.uri.toString());
    return shown && this.visible(shown.answer.source);
  }

  private visible(uri: string): vscode.TextEditor | undefined {
    const wanted = vscode.Uri.parse(uri).toString();
    return vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === wanted);
  }

  private async chooseArchitecture(): Promise<void> {
    const forms: (vscode.QuickPickItem & { form: Form })[] = [
      { label: "PTX", description: "the virtual machine's instructions", form: "ptx" },
      { label: "SASS", description: "the chip's own instructions; needs nvdisasm", form: "sass" },
    ];
    const form = await vscode.window.showQuickPick(forms, { title: "Which assembly?" });
    const known = [...this.shown.values()].flatMap((shown) => shown.answer.architectures);
    const names = [...new Set(["sm_80", "sm_90", "sm_100", ...known])];
    const architecture = form && (await vscode.window.showQuickPick(names, { title: "For which architecture?" }));
    if (form !== undefined && architecture !== undefined) {
      await this.showHere(form.form, architecture);
    }
  }

  private async ask(argument: protocol.AssemblyArgument): Promise<Shown> {
    const client = this.client();
    if (client === undefined) {
      throw new Error("the server does not run");
    }
    const answer = (await client.sendRequest(ExecuteCommandRequest.type, {
      command: protocol.serverCommands.assembly,
      arguments: [{ ...argument, show: false }],
    })) as protocol.AssemblyAnswer;
    const shown = { argument: { ...argument, entry: answer.entry }, answer };
    this.shown.set(vscode.Uri.parse(answer.uri).toString(), shown);
    return shown;
  }

  private async compileAgain(document: vscode.TextDocument): Promise<void> {
    for (const { argument, answer } of [...this.shown.values()]) {
      if (vscode.Uri.parse(answer.source).toString() === document.uri.toString() && this.visible(answer.uri)) {
        try {
          // By the names of the kernels: the cursor may have moved on.
          const { position: _, ...rest } = argument;
          await this.ask(answer.entry === null ? { ...rest, entry: null } : rest);
          this.follow(vscode.window.activeTextEditor, false);
        } catch (error) {
          // The old text stays, without marks, until the source compiles again.
          vscode.window.setStatusBarMessage(`Assembly: ${(error as Error).message}`, 8_000);
        }
      }
    }
  }

  /** Mark what belongs to the cursor of `editor`, in the source and in every assembly of it that is to be seen. */
  private follow(editor: vscode.TextEditor | undefined, reveal: boolean): void {
    const marked: { source: number[]; assembly: number[] } = { source: [], assembly: [] };
    const lines = new Map<vscode.TextEditor, number[]>();
    const address = editor?.document.uri.toString();
    for (const [uri, { answer }] of this.shown) {
      const assembly = this.visible(uri);
      const source = this.visible(answer.source);
      if (assembly === undefined || source?.document.version !== answer.version) {
        continue;
      }
      let origins: number[] = [];
      if (address === uri) {
        const line = assembly.selection.active.line + 1;
        origins = answer.lines.find(([first, last]) => first <= line && line <= last)?.[2] ?? [];
      } else if (address === source.document.uri.toString()) {
        const line = source.selection.active.line + 1;
        origins = answer.lines.some(([, , of]) => of.includes(line)) ? [line] : [];
      }
      const [innermost] = origins;
      if (innermost === undefined) {
        continue;
      }
      // From the assembly, one place of the source is meant; from the source, all that was made of its line.
      const spans = answer.lines.filter(([, , of]) => of.includes(innermost));
      const made = spans.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, n) => first - 1 + n));
      marked.source.push(...origins.map((line) => line - 1));
      marked.assembly.push(...made);
      lines.set(source, [...(lines.get(source) ?? []), ...origins.map((line) => line - 1)]);
      lines.set(assembly, made);
      if (reveal) {
        const [other, at] = address === uri ? [source, innermost - 1] : [assembly, made[0] ?? 0];
        other.revealRange(new vscode.Range(at, 0, at, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      }
    }
    for (const visible of vscode.window.visibleTextEditors) {
      const ranges = (lines.get(visible) ?? []).map((line) => new vscode.Range(line, 0, line, 0));
      visible.setDecorations(this.mark, ranges);
    }
    this.now = { source: [...new Set(marked.source)], assembly: marked.assembly };
  }
}
