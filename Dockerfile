# The explorer on the embedded model; it starts without a network:
#   docker build -t blockbatch . && docker run -p 7860:7860 blockbatch
FROM python:3.12-slim

RUN useradd --create-home --uid 1000 user
USER user
WORKDIR /home/user/app
ENV PATH=/home/user/.local/bin:$PATH \
    GRADIO_SERVER_NAME=0.0.0.0 \
    GRADIO_SERVER_PORT=7860 \
    GRADIO_ANALYTICS_ENABLED=False \
    HF_HUB_OFFLINE=1 \
    PYTHONUNBUFFERED=1

COPY --chown=user requirements.txt .
RUN pip install --user --no-cache-dir --requirement requirements.txt

COPY --chown=user app.py .
COPY --chown=user blockbatch blockbatch
COPY --chown=user ui ui
COPY --chown=user assets assets

EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import os, urllib.request as web; web.urlopen('http://127.0.0.1:' + os.environ['GRADIO_SERVER_PORT'], timeout=4)"]
CMD ["python", "app.py"]
