// What must not be shown: names, passwords and keys in addresses, and what has the shape of a key. The server does the same.

const mark = "[removed]";
// A password may hold what belongs encoded: then all up to the last `@` goes.
const inAddress = /(?<=:\/\/)(?:[^\s/?#'"<>]*|[^\s/:'"<>]*:[^\s'"<>]*)@/g;
const parameter = /([?&;][\w.-]*(?:key|token|secret|password|passwd|signature|credential|\bsig)[\w.-]*=)[^\s&;#'"<>]+/gi;
const shapes =
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\bAIza[A-Za-z0-9_-]{30,}|\bhf_[A-Za-z0-9]{20,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bAKIA[A-Z0-9]{16}\b/g;

export function redacted(text: string): string {
  return text.replace(shapes, mark).replace(inAddress, `${mark}@`).replace(parameter, `$1${mark}`);
}
