import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Builds the client of programs to one module, dist/client/index.js. */
export default defineConfig({
  root: here('.'),
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: here('../../dist/client'),
    emptyOutDir: false,
    target: 'es2022',
    lib: { entry: here('index.ts'), formats: ['es'], fileName: () => 'index.js' },
    // A library keeps its white space by default, for the bundler of a page.
    rollupOptions: { output: { minify: true } },
  },
});
