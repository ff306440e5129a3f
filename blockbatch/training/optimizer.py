"""The two optimizers: Muon for the matrices of the layers, AdamW for embeddings, head and norms."""

from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import Executor
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

from blockbatch.training.recipe import Recipe

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # the quintic whose iteration sends singular values to about 1
_ITERATIONS = 5


def orthogonalized(matrices: Tensor) -> Tensor:
    """The nearest orthogonal matrices, roughly, of a stack [count, rows, columns], by Newton-Schulz.

    In bfloat16: the iteration corrects its own rounding, and singular values of 0.7 or 1.2 do as well as 1.
    """
    a, b, c = _COEFFICIENTS
    tall = matrices.shape[-2] > matrices.shape[-1]
    x: Tensor = matrices.mT if tall else matrices
    x = (x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)).bfloat16()
    for _ in range(_ITERATIONS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return (x.mT if tall else x).to(matrices.dtype)


class Muon(Optimizer):
    """Momentum whose update is orthogonalized (Jordan, 2024); matrices of one shape are stacked into one update."""

    def __init__(self, matrices: Iterable[nn.Parameter], lr: float, crew: Executor, momentum: float = 0.95) -> None:
        by_shape: defaultdict[torch.Size, list[nn.Parameter]] = defaultdict(list)
        for matrix in matrices:
            by_shape[matrix.shape].append(matrix)
        super().__init__([{"params": same} for same in by_shape.values()], {"lr": lr, "momentum": momentum})
        self._crew = crew

    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Update every matrix from its gradient, shapes side by side; closures are not taken."""
        list(self._crew.map(self._update, self.param_groups))

    @torch.no_grad()
    def _update(self, group: dict[str, Any]) -> None:
        matrices, momentum = group["params"], group["momentum"]
        gradients = torch.stack([matrix.grad for matrix in matrices])
        state = self.state[matrices[0]]  # the stack's momentum lives with its first matrix
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(gradients)
        average = state["momentum"].lerp_(gradients, 1 - momentum)
        update = orthogonalized(gradients.lerp(average, momentum))
        rows, columns = matrices[0].shape
        torch._foreach_add_(matrices, list(update), alpha=-group["lr"] * max(1.0, rows / columns) ** 0.5)


class Optimizers:
    """Both optimizers as one: a step at a factor of their rates, and one state."""

    def __init__(self, model: nn.Module, recipe: Recipe, crew: Executor) -> None:
        layers = {name: weight for name, weight in model.named_parameters() if ".layers." in name}
        matrices = [weight for weight in layers.values() if weight.ndim == 2]
        chosen = set(matrices)
        others = [weight for weight in model.parameters() if weight not in chosen]
        self._rates = (recipe.matrix_rate, recipe.other_rate)
        self._both: tuple[Optimizer, Optimizer] = (
            Muon(matrices, recipe.matrix_rate, crew),
            AdamW(others, recipe.other_rate, betas=(0.9, 0.95), weight_decay=0.0, foreach=True),
        )

    def step(self, factor: float) -> None:
        """Update the weights at `factor` times the rates, and clear the gradients."""
        for optimizer, rate in zip(self._both, self._rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * factor
            optimizer.step()
            optimizer.zero_grad()

    def state(self) -> list[dict[str, Any]]:
        return [optimizer.state_dict() for optimizer in self._both]

    def load_state(self, states: list[dict[str, Any]]) -> None:
        for optimizer, state in zip(self._both, states, strict=True):
            optimizer.load_state_dict(state)
