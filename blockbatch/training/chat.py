"""The special tokens of the embedded model's tokenizer, and a prompt as its chat template writes it."""

MASK, EOS, USER, ASSISTANT = "<|mask|>", "<|eos|>", "<|user|>", "<|assistant|>"

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|user|>' if message.role == 'user' else '<|assistant|>' }}{{ message.content }}"
    "{% if message.role == 'assistant' %}{{ '<|eos|>' }}{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


def as_chat(prompt: str) -> str:
    """The prompt as the chat template writes it, up to where the answer starts."""
    return f"{USER}{prompt}{ASSISTANT}"
