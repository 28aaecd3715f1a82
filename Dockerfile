# trexreport with PDF and PNG output and tables, for any machine: no GPU and no TensorRT inside.
#   docker build --tag trexreport .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/data" trexreport report capture -o report.html
# The image needs Python 3.10 or newer and Debian's packages; any other of that kind works too.
ARG PYTHON_IMAGE=python:3.12-slim-bookworm

# hadolint ignore=DL3006
FROM ${PYTHON_IMAGE} AS build
COPY . /source
ARG EXTRAS=pdf,excel,graphviz
RUN python3 -m venv /opt/trexreport \
    && /opt/trexreport/bin/python -m pip install --quiet --no-cache-dir --disable-pip-version-check "/source[${EXTRAS}]" \
    # Neither pip nor the libraries' own tests are needed any more.
    && /opt/trexreport/bin/python -m pip uninstall --quiet --yes pip \
    && find /opt/trexreport -type d -name tests -prune -exec rm -rf {} +

# hadolint ignore=DL3006
FROM ${PYTHON_IMAGE}
# hadolint ignore=DL3008
RUN apt-get update -qq \
    && apt-get install -qq -y --no-install-recommends \
        libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 graphviz librsvg2-bin fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --create-home trexreport
COPY --from=build /opt/trexreport /opt/trexreport
COPY samples/resnet18-int8-before /opt/samples/resnet18-int8-before
ENV PATH=/opt/trexreport/bin:$PATH \
    # Any user may run it, also one without a home.
    PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME=/tmp/cache
USER 10001
WORKDIR /data
ENTRYPOINT ["trexreport"]
CMD ["--help"]
