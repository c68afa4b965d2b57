# The production image: `docker build -t user-collection-service .`. Set MONGODB_URI and
# SESSION_SECRET to run it.

# The digest selects the image; the tag is informative. The publisher lists the digest in
# github.com/docker-library/repo-info (repos/node/remote/24-slim.md). To update:
# docker buildx imagetools inspect node:24-slim
ARG NODE=node:24.19.0-slim@sha256:cd84903a12dbd26b46f1f3b8144a2568c41c5d37ddd0c7a80a34c7a19786b35f

# Without the workspace of the tests.
FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --include=dev --workspaces=false --no-audit --no-fund
COPY . .
RUN npm run build && find dist -name '*.map' -delete

FROM ${NODE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --workspaces=false --no-audit --no-fund
# npm counts packages that are not in the image as missing, unless they are not declared.
RUN npm pkg delete workspaces devDependencies && npm sbom --sbom-format=cyclonedx > sbom.json

FROM ${NODE}
ENV NODE_ENV=production
WORKDIR /app
# package.json declares the files as ES modules.
COPY package.json ./
COPY --from=packages /app/node_modules ./node_modules
# What the image contains, in the format of CycloneDX.
COPY --from=packages /app/sbom.json ./
COPY --from=build /app/dist ./dist
USER node
EXPOSE 3000
# The image has no curl. /health checks the process; orchestrators use /ready to check the database.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The flags of `npm start`: a larger young generation (docs/performance.md, "The heap").
CMD ["node", "--max-semi-space-size=32", "--no-allocation-site-pretenuring", "dist/server.js"]
