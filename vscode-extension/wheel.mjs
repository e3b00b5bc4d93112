// Builds the server's wheel into wheel/, from which the extension installs its own environment.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const repository = join(import.meta.dirname, "..");
const folder = join(import.meta.dirname, "wheel");
const environment = join(repository, ".venv", "bin", "python");
const python = process.env.KERNELWRIGHT_PYTHON ?? (existsSync(environment) ? environment : "python3");

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
execFileSync(python, ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, repository], {
  stdio: "inherit",
});
