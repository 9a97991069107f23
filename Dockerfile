# The bot: what `npm run build` makes, production dependencies only, and one folder that it writes to.
FROM node:24.21.0-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# No script of a package runs: better-sqlite3 brings its binaries, and nothing has to be compiled.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM dependencies AS build
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build

FROM node:24.21.0-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATABASE_URL=sqlite:/data/monbot.db
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json package-lock.json manifest.yml ./
RUN ln -s /app/dist/cli.js /usr/local/bin/monbot && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/bot/main.js"]
