"""Drive a running explorer from a program: `python examples/drive_the_app.py [URL]`, by default the one of `make run`.

Needs gradio_client alone.  `Client(url).view_api()` prints every endpoint with its parameters.
"""

# %% Connect, and ask which models there are.
import sys

from gradio_client import Client

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:7860"
client = Client(url, verbose=False)
for model in client.predict(api_name="/models"):
    print(f"{model['id']} in {model['dtype']} on {model['device']}, at most {model['max_length']} tokens")

# %% Generate: an update for every few steps.  While the run goes on, its key steers it.
job = client.submit("Solve for x: 3x + 4 = 19", gen_length=64, block_sizes=[4, 16, 32], pace=10, api_name="/generate")
steered = False
progress = {}
for progress in job:
    print(progress["status"], "steps:", progress["steps"])
    if progress["steps"] >= 2 and not steered:
        steered = True
        client.predict(progress["key"], {"block_sizes": [16, 32, 48], "pace": 0}, api_name="/steer")
print("answer:", repr(progress["text"]))

# %% Fork: repeat the first steps of that run and go on under another threshold.
forked = client.predict(progress["trace"], 2, {"commit_threshold": 0.6}, api_name="/fork")
print("under a commit threshold of 0.6:", repr(forked["text"]), "in", forked["steps"], "steps")

# %% What cannot be done is one sentence.
try:
    client.predict("Solve for x: 3x + 4 = 19", block_sizes=[0], api_name="/generate")
except Exception as error:
    print("refused:", error)
