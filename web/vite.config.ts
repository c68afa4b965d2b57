import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const OUTPUT = fileURLToPath(new URL('../dist/web/', import.meta.url));

/** Lays a compressed copy beside each asset, for src/http/dashboard.ts to send. */
function compressedCopies(): Plugin {
  return {
    name: 'compressed-copies',
    closeBundle() {
      const folder = join(OUTPUT, 'assets');
      for (const name of readdirSync(folder).filter((file) => /\.(js|css|svg)$/.test(file))) {
        writeFileSync(join(folder, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 9 }));
      }
    },
  };
}

export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/dashboard/',
  logLevel: command === 'build' ? 'warn' : 'info',
  plugins: [react(), compressedCopies()],
  build: {
    outDir: OUTPUT,
    emptyOutDir: true,
    // A data: address would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    // A test holds the budget, in compressed size.
    chunkSizeWarningLimit: 1000,
  },
  // `npm run web` serves the pages from their sources and hands the API on to a running service. The Host header stays, so the origin check lets it pass.
  server: { proxy: { '^/(auth|v1|health|ready|docs|openapi.json)': { target: 'http://127.0.0.1:3000' } } },
}));
