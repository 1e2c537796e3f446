# docker build -t irev .
# docker run --rm -v "$PWD:/data" irev -m map qrels.txt bm25.run
# irev runs as a user without rights. So that it may read and write your files, and these belong to you:
# docker run --user "$(id -u):$(id -g)" ...

FROM python:3.12.12-slim-bookworm AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY irev irev
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12.12-slim-bookworm
# its own layer, which a change of irev leaves as it is
COPY tools/pinned.txt /pinned.txt
RUN pip install --no-cache-dir --requirement /pinned.txt
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-deps /wheels/irev-*.whl
WORKDIR /data
USER 65534:65534
ENTRYPOINT ["irev"]
