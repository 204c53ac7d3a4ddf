"""What replaces other libraries' methods as long as somebody wants it."""
# SPDX-License-Identifier: Apache-2.0

import threading
from typing import Callable


class Nesting:
    """Calls that nest, in all threads of the process: the first one begins something, and the last one to go ends it.

    name: what is enabled, for errors. begin, end: run under a lock.
    """

    def __init__(self, name: str, begin: Callable[[], None], end: Callable[[], None]):
        self._name, self._begin, self._end = name, begin, end
        self._lock, self._depth = threading.Lock(), 0

    @property
    def is_on(self) -> bool:
        """Whether some call has not gone yet."""
        return self._depth > 0

    def enter(self) -> None:
        """One more call."""
        with self._lock:
            if not self._depth:
                self._begin()
            self._depth += 1

    def leave(self) -> None:
        """One call less. Raises RuntimeError where none is left."""
        with self._lock:
            if not self._depth:
                raise RuntimeError(f"{self._name} is not enabled")
            self._depth -= 1
            if not self._depth:
                self._end()
