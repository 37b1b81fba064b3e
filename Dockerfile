# mqgate as a container:
#
#   docker build -t mqgate .
#   docker run --read-only -p 127.0.0.1:3307:3307 -v ./mqgate.yaml:/etc/mqgate/mqgate.yaml:ro mqgate
#
# BASE may be a dated tag or a digest, for builds that can be repeated. docs/deployment.md says how
# the image is configured.
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS build
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        cmake default-libmysqlclient-dev gcc libc6-dev libevent-dev libjansson-dev libpcre2-dev \
        libssl-dev libxxhash-dev libyaml-dev ninja-build pkg-config uthash-dev && \
    rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN cmake --preset release -DMQ_TESTS=OFF && \
    cmake --build --preset release --target mqgate && \
    cmake --install build/release --strip --prefix /usr/local

FROM ${BASE}
# The plug-ins of libmariadb3 are what logs in to the tenant vindex table's server.
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        libevent-core-2.1-7 libjansson4 libmariadb3 libpcre2-8-0 libssl3 \
        libxxhash0 libyaml-0-2 && \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/log/*
COPY --from=build /usr/local/bin/mqgate /usr/local/bin/mqgate

ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="mqgate" \
      org.opencontainers.image.description="A sidecar that lets services keep their queue's SQL while its tables are sharded by tenant" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# Numeric, so that Kubernetes can see that it is not root.
USER 65532:65532
WORKDIR /
ENV MQGATE_CONFIG=/etc/mqgate/mqgate.yaml
EXPOSE 3307
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["mqgate", "healthcheck"]
ENTRYPOINT ["mqgate"]
CMD ["run"]
