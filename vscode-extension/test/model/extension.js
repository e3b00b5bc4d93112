// A model of the editor that knows one kernel by heart.

const vscode = require("vscode");

const answer = `SUMMARY: one element a thread
\`\`\`cuda
// kernelwright: task=relu.py entry=relu
#include <cuda_runtime.h>

__global__ void relu_by_the_model(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = fmaxf(x[i], 0.0f);
    }
}

void relu(const float* x, float* y, int n) {
    relu_by_the_model<<<(n + 255) / 256, 256>>>(x, y, n);
}
\`\`\`
`;

const model = {
  id: "by-heart",
  name: "By Heart",
  family: "by-heart",
  version: "1",
  maxInputTokens: 100_000,
  maxOutputTokens: 10_000,
  isUserSelectable: true,
  capabilities: {},
};

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider("model-for-tests", {
      provideLanguageModelChatInformation: () => [model],
      provideLanguageModelChatResponse: async (_model, _messages, _options, progress) => {
        progress.report(new vscode.LanguageModelTextPart(answer));
      },
      provideTokenCount: async (_model, text) => String(text).length,
    }),
  );
};
