// What the extension host runs (`extensionTestsPath`): the suite under mocha, its results as JSON in a file.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Mocha from "mocha";

export function run(): Promise<void> {
  const results = process.env.KERNELWRIGHT_TEST_RESULTS;
  const mocha = new Mocha({ ui: "bdd", timeout: 240_000 });
  mocha.addFile(join(__dirname, "suite.js"));
  return new Promise((resolve, reject) => {
    const outcomes: { title: string; error: string | null }[] = [];
    mocha
      .run((failures) => {
        if (results !== undefined) {
          writeFileSync(results, JSON.stringify(outcomes, undefined, 1));
        }
        if (failures === 0) {
          resolve();
        } else {
          reject(new Error(`${failures} tests failed`));
        }
      })
      .on("pass", (test) => outcomes.push({ title: test.fullTitle(), error: null }))
      .on("fail", (test, error: Error) => outcomes.push({ title: test.fullTitle(), error: error.stack ?? String(error) }));
  });
}
