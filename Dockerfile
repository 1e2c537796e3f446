# docker build -t irev .
# docker run --rm -v "$PWD:/data" irev -m map qrels.txt bm25.run
# So that files that irev writes belong to you: docker run --user "$(id -u):$(id -g)" ...

FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY irev irev
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir "$(echo /wheels/*.whl)[plot]"
WORKDIR /data
ENTRYPOINT ["irev"]
