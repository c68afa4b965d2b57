import type { z } from 'zod';
import {
  type ArgumentsOf,
  codeOf,
  type Issue,
  MAX_ISSUES,
  type Reason,
  type ReasonCode,
  reasonOf,
  say,
  type ValuesOf,
} from './reasons.ts';
import type { Params } from './texts.ts';

/** The message of a schema that reports a reason: `z.string(code('notText'))`. */
export const code = <Code extends ReasonCode>(name: Code, ...[params]: ArgumentsOf<Code>): string =>
  params ? `${name} ${JSON.stringify(params)}` : name;

/** A problem that a check of a schema reports. */
interface Problem extends z.core.$ZodRawIssue<z.core.$ZodIssueCustom> {
  message: string;
  path: string[];
}

/** @param path below the checked value, with keys as they were sent */
export function problem<Code extends ReasonCode>(
  message: Code,
  params?: ValuesOf<Code>,
  path: readonly string[] = [],
): Problem {
  return { code: 'custom', message, params, path: [...path], input: undefined };
}

/**
 * Returns the problems that a schema found, at most 20. Their messages are codes.
 * @param at the place of the value; empty for all of the input
 * @param show returns a key of a client for use in an answer
 */
export function toIssues(found: readonly z.core.$ZodIssue[], at: string, show: (key: string) => string): Issue[] {
  const place = (...keys: PropertyKey[]): string =>
    [...(at === '' ? [] : [at]), ...keys.map((key) => show(String(key)))].join('.');
  return found
    .slice(0, MAX_ISSUES)
    .flatMap((issue): Issue[] => {
      if (issue.code !== 'unrecognized_keys') return [{ path: place(...issue.path), ...reasonIn(issue) }];
      const keys = issue.keys.slice(0, MAX_ISSUES);
      return keys.map((key) => ({ path: place(...issue.path, key), ...say('unknownProperty') }));
    })
    .slice(0, MAX_ISSUES);
}

/** Returns the reason of a problem that a schema found. A text of zod is the value of `unfit`. */
export function reasonIn(issue: z.core.$ZodIssue): Reason {
  const [, name, params] = /^(\w+)(?: (\{.*\}))?$/s.exec(issue.message) ?? [];
  const known = codeOf(name);
  if (known === undefined) return say('unfit', { reason: issue.message });
  if (params !== undefined) return reasonOf(known, JSON.parse(params) as Params);
  return reasonOf(known, issue.code === 'custom' ? (issue.params as Params | undefined) : undefined);
}
