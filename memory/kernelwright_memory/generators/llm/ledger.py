"""What a run of models may cost, and what it did cost. (litellm's own `max_budget` never fires.)"""

import threading

from kernelwright_memory.generators.base import CannotGenerate


class Ledger:
    """Counts dollars and refuses to begin what would exceed the budget. Safe between threads.

    Args:
        budget_usd: None for no limit.
    """

    def __init__(self, budget_usd: float | None = None) -> None:
        self.budget_usd = budget_usd
        self._spent_usd = 0.0
        self._reserved_usd = 0.0
        self._lock = threading.Lock()

    @property
    def spent_usd(self) -> float:
        return self._spent_usd

    def reserve(self, most_usd: float) -> None:
        """Set aside what a call may cost at most.

        Raises:
            CannotGenerate: the budget does not hold it.
        """
        with self._lock:
            if self.budget_usd is not None:
                left = self.budget_usd - self._spent_usd - self._reserved_usd
                if left <= 0 or most_usd > left:
                    raise CannotGenerate(
                        f"the budget of ${self.budget_usd:.2f} does not cover the next call: ${self._spent_usd:.4f} is spent "
                        f"and the call may cost ${most_usd:.4f}. Raise [agent] budget_usd"
                    )
            self._reserved_usd += most_usd

    def settle(self, reserved_usd: float, cost_usd: float) -> None:
        """Replace what was set aside by what it cost."""
        with self._lock:
            self._reserved_usd -= reserved_usd
            self._spent_usd += cost_usd
