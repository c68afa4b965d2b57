import type { Route } from '../../src/core/api/endpoint.ts';

type Files = Record<string, string>;

interface Document {
  paths: object;
}

export declare function renderTables(
  files: Files,
  endpoints: readonly Pick<Route, 'name' | 'spec'>[],
  document: Document,
): Files;

export declare function fillTables(text: string, tables: Readonly<Record<string, string>>, name: string): string;
