import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, defineConfig, type InlineConfig, type Plugin } from 'vite';

const OUTPUT = fileURLToPath(new URL('../dist/web/', import.meta.url));
const EMBED = fileURLToPath(new URL('./embed/', import.meta.url));

/** Writes a gzip copy of each asset, which src/http/dashboard.ts serves. */
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

interface Modules {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** Returns the ids of the modules that a module loads at once, itself included. */
function loadedWith(id: string, modules: Modules, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) loadedWith(imported, modules, found);
  return found;
}

/**
 * Puts all that a module of web/src loads at once, without the module, in one chunk.
 * @param also what the texts of each language load, which would be a chunk of its own
 */
function chunkOf(module: string, name: string, also = module): (id: string, modules: Modules) => string | null {
  const [path, other] = [module, also].map((file) => fileURLToPath(new URL(`./src/${file}`, import.meta.url)));
  let loaded: Set<string> | undefined;
  return (id, modules) => {
    loaded ??= loadedWith(path as string, modules).add(other as string);
    return id !== path && loaded.has(id) ? name : null;
  };
}

/**
 * Links the chunk of the pages and its style sheet in index.html. main.tsx loads them after the
 * texts of the reader's language; without links the browser would learn of them only then.
 */
function preloadedPages(): Plugin {
  return {
    name: 'preloaded-pages',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const pages = chunks.find(({ name }) => name === 'dashboard');
        if (!pages) return [];
        const link = (rel: string) => (file: string) => ({
          tag: 'link',
          injectTo: 'head' as const,
          attrs: { rel, crossorigin: true, href: `/dashboard/${file}` },
        });
        const files = new Set([pages.fileName, ...pages.imports]);
        const isLinked = (file: string) => html.includes(`/dashboard/${file}"`);
        const styles = chunks
          .filter(({ fileName }) => files.has(fileName))
          .flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
        const scripts = [...files].filter((file) => !isLinked(file));
        return [...scripts.map(link('modulepreload')), ...styles.map(link('stylesheet'))];
      },
    },
  };
}

/** What the embed script loads when a form needs it (web/embed/parts.ts). */
const PARTS = ['form', 'steps', 'challenge', 'files', 'page'];

/** Builds what src/http/embed.ts serves: the embed script, its parts, the style sheet of pages. */
function embedFiles(): Plugin {
  const shared: InlineConfig = { configFile: false, root: EMBED, publicDir: false, logLevel: 'warn' };
  const output = { outDir: join(OUTPUT, 'embed'), emptyOutDir: false, target: 'es2022' };
  return {
    name: 'embed-files',
    apply: 'build',
    async closeBundle() {
      const hashes: Record<string, string> = {};
      for (const part of PARTS) {
        const file = `v1-${part}.js`;
        const lib = { entry: join(EMBED, `${part}.ts`), formats: ['es' as const], fileName: () => file };
        await build({ ...shared, build: { ...output, lib } });
        const content = readFileSync(join(OUTPUT, 'embed', file));
        // As in src/http/embed.ts.
        hashes[part] = createHash('sha256').update(content).digest('base64url').slice(0, 12);
      }
      const lib = {
        entry: join(EMBED, 'v1.ts'),
        name: 'userCollection',
        formats: ['iife' as const],
        fileName: () => 'v1.js',
      };
      const define = { PART_HASHES: JSON.stringify(hashes) };
      await build({ ...shared, define, build: { ...output, lib } });
      const style = { input: join(EMBED, 'page.css'), output: { assetFileNames: 'v1.css' } };
      await build({ ...shared, build: { ...output, rollupOptions: style } });
    },
  };
}

export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/dashboard/',
  logLevel: command === 'build' ? 'warn' : 'info',
  css: { transformer: 'lightningcss' },
  plugins: [react(), preloadedPages(), compressedCopies(), embedFiles()],
  build: {
    outDir: OUTPUT,
    emptyOutDir: true,
    // A data: URL would require a wider content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Two chunks for the first page compress better than forty. The first texts come before the
    // pages; the others are loaded with the session. The list of users loads two more chunks,
    // instead of ten small ones: six requests run at a time.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: chunkOf('main.tsx', 'texts'), debugName: 'texts', priority: 3 },
            { name: chunkOf('dashboard.tsx', 'pages', 'texts/setting-link.tsx'), debugName: 'pages', priority: 2 },
            { name: 'components', test: /[\\/]web[\\/]src[\\/]components[\\/]/, priority: 1 },
            { name: 'users', test: /[\\/]web[\\/]src[\\/]users[\\/]/ },
          ],
        },
      },
    },
    target: 'es2022',
    // test/browser/serving.test.ts enforces a limit on the compressed size.
    chunkSizeWarningLimit: 1000,
  },
  // `npm run web` serves the pages from source and proxies API requests to a running service. It
  // keeps the Host header, so that requests pass the origin check.
  server: { proxy: { '^/(auth|v1|f|embed|health|ready|docs|openapi.json)': { target: 'http://127.0.0.1:3000' } } },
}));
