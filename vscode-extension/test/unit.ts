// What needs no editor.

import assert from "node:assert/strict";
import { accept, hunksBetween, splitLines, touches } from "../source/hunks";
import { redacted } from "../source/redaction";

function changed(original: string, modified: string): string[] {
  const [from, to] = [splitLines(original), splitLines(modified)];
  return hunksBetween(from, to).map(
    (h) => `${from.slice(h.originalStart, h.originalEnd).join(",")}>${to.slice(h.modifiedStart, h.modifiedEnd).join(",")}`,
  );
}

describe("hunks", () => {
  const cases: [what: string, original: string, modified: string, expected: string[]][] = [
    ["equal texts", "a\nb", "a\nb", []],
    ["a changed line", "a\nb\nc", "a\nx\nc", ["b>x"]],
    ["lines added at the end", "a", "a\nb\nc", [">b,c"]],
    ["lines added at the start", "c", "a\nb\nc", [">a,b"]],
    ["a line removed", "a\nb\nc", "a\nc", ["b>"]],
    ["two changes", "a\nb\nc\nd\ne", "a\nx\nc\nd\ny\nz", ["b>x", "e>y,z"]],
    ["everything", "a\nb", "c\nd\ne", ["a,b>c,d,e"]],
    ["Windows line ends", "a\r\nb", "a\nb", []],
    ["an empty file", "", "a", [">a"]],
  ];
  for (const [what, original, modified, expected] of cases) {
    it(`of ${what}`, () => assert.deepEqual(changed(original, modified), expected));
  }

  it("all accepted give the modified text, none the original", () => {
    const letters = "abc";
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    const text = () => Array.from({ length: random(12) }, () => letters[random(3)]).join("\n");
    for (let trial = 0; trial < 500; trial++) {
      const [original, modified] = [text(), text()];
      const hunks = hunksBetween(splitLines(original), splitLines(modified));
      assert.equal(accept(original, modified, hunks), modified);
      assert.equal(accept(original, modified, []), original);
    }
  });

  it("one accepted leaves the others as they were, in the line ends of the file", () => {
    const [original, modified] = ["a\r\nb\r\nc\r\nd", "a\nx\nc\ny"];
    const [first] = hunksBetween(splitLines(original), splitLines(modified));
    assert.ok(first);
    assert.equal(accept(original, modified, [first]), "a\r\nx\r\nc\r\nd");
  });

  it("are touched by a selection on their lines, a deletion by one beside it", () => {
    const change = { originalStart: 2, originalEnd: 3, modifiedStart: 2, modifiedEnd: 4 };
    assert.deepEqual([1, 2, 3, 4].map((line) => touches(change, line, line)), [false, true, true, false]);
    const deletion = { originalStart: 2, originalEnd: 4, modifiedStart: 2, modifiedEnd: 2 };
    assert.deepEqual([0, 1, 2, 3].map((line) => touches(deletion, line, line)), [false, true, true, false]);
  });
});

describe("what is shown of settings", () => {
  const cases: [shown: string, expected: string][] = [
    ['"uri": "s3://me:pass@host/memory"', '"uri": "s3://[removed]@host/memory"'],
    ["https://me:p/a@s@host/v1#MODEL", "https://[removed]@host/v1#MODEL"],
    ["http://token@host:8000", "http://[removed]@host:8000"],
    ["https://host/v1?api_key=abc&x=1", "https://host/v1?api_key=[removed]&x=1"],
    // In two parts, so that nothing that looks for keys takes it for one.
    ["a sk-".concat("0123456789abcdefghij b"), "a [removed] b"],
    ["http://localhost:8000/v1 and me@example.com", "http://localhost:8000/v1 and me@example.com"],
  ];
  for (const [shown, expected] of cases) {
    it(shown, () => assert.equal(redacted(shown), expected));
  }
});
