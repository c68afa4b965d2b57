import type { z } from 'zod';
import { type Issue, MAX_ISSUES, type Reason } from '../core/errors.ts';
import { type Code, codeOf, type Params, say } from './catalogue.ts';

/**
 * The message of a schema that reports a text of the catalogue, as in `z.string(code('notText'))`.
 */
export const code = (name: Code): Code => name;

/**
 * Returns a problem that a check of a schema reports.
 * @param path below the checked value, with keys as they were sent
 */
export function problem(message: Code, params?: Params, path: readonly string[] = []) {
  return { code: 'custom', message, params, path: [...path], input: undefined } satisfies z.core.$ZodRawIssue;
}

/**
 * Returns the problems that a schema found, at most 20. A message that is a code becomes its text.
 * @param at the place of the value; empty for all of the input
 * @param show returns a key of a client for use in an answer
 */
export function toIssues(found: readonly z.core.$ZodIssue[], at: string, show: (key: string) => string): Issue[] {
  const place = (...keys: PropertyKey[]): string =>
    [...(at === '' ? [] : [at]), ...keys.map((key) => show(String(key)))].join('.');
  return found
    .slice(0, MAX_ISSUES)
    .flatMap((issue): Issue[] => {
      if (issue.code !== 'unrecognized_keys') return [{ path: place(...issue.path), ...reasonOf(issue) }];
      const keys = issue.keys.slice(0, MAX_ISSUES);
      return keys.map((key) => ({ path: place(...issue.path, key), ...say('unknownProperty') }));
    })
    .slice(0, MAX_ISSUES);
}

function reasonOf(issue: z.core.$ZodIssue): Reason {
  const named = codeOf(issue.message);
  if (named === undefined) return { message: issue.message };
  return say(named, issue.code === 'custom' ? issue.params : undefined);
}
