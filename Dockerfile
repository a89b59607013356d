# pointree as a service, on a CPU:
#
#     docker build -t pointree .
#     docker run --rm -p 127.0.0.1:8000:8000 -v "$PWD/model:/models/en:ro" pointree
#
# A model is found by the name of its folder under /models; --model and other options of `pointree serve` may follow.
FROM python:3.11-slim AS build
WORKDIR /pointree
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
# The README's install command, with the extra; a test holds the two together.
RUN python3 -m venv .venv && .venv/bin/pip install -c constraints.txt ".[serve]"

FROM python:3.11-slim
COPY --from=build /pointree/.venv /pointree/.venv
ENV POINTREE_MODELS=/models PYTHONUNBUFFERED=1
RUN useradd --system pointree
USER pointree
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD \
  ["/pointree/.venv/bin/python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
# A container is reached from outside of it only; -p above decides from where.
ENTRYPOINT ["/pointree/.venv/bin/pointree", "serve", "--host", "0.0.0.0", "--port", "8000"]
