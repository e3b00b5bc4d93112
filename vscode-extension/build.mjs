// Bundles the extension, and its tests, into out/.
import { build } from "esbuild";

const shared = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  sourcemap: "linked",
  sourcesContent: false,
  logLevel: "warning",
};

await build({
  ...shared,
  entryPoints: { extension: "source/extension.ts" },
  outdir: "out",
  minify: true,
  keepNames: true,
  external: ["vscode"],
});
await build({
  ...shared,
  entryPoints: { index: "test/index.ts", suite: "test/suite.ts", unit: "test/unit.ts" },
  outdir: "out/test",
  external: ["vscode", "mocha"],
});
