# The opsbook command, for workers and whatever else of it runs as a service.
# Debian and not Alpine: the native part of Temporal's SDK is built for glibc.
ARG NODE_VERSION=22

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /build
# What is installed changes seldom, and is kept as a layer of its own.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build && node scripts/prune.mjs

FROM node:${NODE_VERSION}-bookworm-slim
# Whoever mounts a project decides which one runs: its owner on the host need not be the user in here.
ENV NODE_ENV=production OPSBOOK_DATA_DIR=/var/lib/opsbook OPSBOOK_TRUSTED_FOLDERS=/project
WORKDIR /opt/opsbook
COPY package.json LICENSE ./
COPY runbooks ./runbooks
COPY deploy/opsbook/healthcheck.mjs ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
RUN ln -s /opt/opsbook/dist/cli/main.js /usr/local/bin/opsbook \
 && chmod +x dist/cli/main.js \
 && install -d -o node -g node /var/lib/opsbook /project
# A new volume takes its owner from here.
VOLUME /var/lib/opsbook
WORKDIR /project
USER node
ENTRYPOINT ["opsbook"]
CMD ["--help"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "/opt/opsbook/healthcheck.mjs", "http://127.0.0.1:8081/readyz"]
