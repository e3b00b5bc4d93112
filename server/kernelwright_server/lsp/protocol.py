"""What server and editor say to each other beyond LSP: its names, in one place."""

CANDIDATE_SCHEME = "kernelwright-candidate"
EVIDENCE_SCHEME = "kernelwright-evidence"
ASSEMBLY_SCHEME = "kernelwright-assembly"
TRUST = "kernelwright/trust"
STATUS = "kernelwright/status"
CANDIDATE = "kernelwright/candidate"
COMMANDS = ("draft", "refine", "verify", "cancel", "apply", "discard", "debug", "timeline", "assembly")
DRAFT_KIND = "refactor.rewrite.kernelwright.draft"
REFINE_KIND = "refactor.rewrite.kernelwright.refine"
VERIFY_KIND = "refactor.rewrite.kernelwright.verify"
