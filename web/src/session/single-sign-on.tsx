import { Alert, Button, Divider } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { buildUrl, call } from '../api/call.ts';
import type { LogInWays } from '../api/endpoints.ts';
import { leaveAnnounced } from '../drafts/unsaved.ts';
import { t } from '../texts/first-texts.ts';

/** Without an answer the ways of every service: the log-in then says what is wrong. */
const DEFAULT_WAYS: LogInWays = { password: true, accounts: false, oidc: null };

const waysQuery = queryOptions({
  queryKey: ['log-in ways'],
  queryFn: ({ signal }) => call('GET /auth/login', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The ways to log in; undefined until the service has answered. */
export function useLogInWays(): LogInWays | undefined {
  const { data, isError } = useQuery(waysQuery);
  return data ?? (isError ? DEFAULT_WAYS : undefined);
}

interface SignOnButtonProps {
  ways: LogInWays;
  /** The path to which the sign-on leads; default: the page in the address bar. */
  returnTo?: string;
}

/** Leads to the provider of single sign-on. Nothing where the service has none. */
export function SignOnButton({ ways, returnTo }: SignOnButtonProps) {
  // The address may change while the button is shown.
  useLocation();
  if (!ways.oidc) return null;
  const href = buildUrl('/auth/oidc/start', {}, { returnTo: returnTo ?? requestedPage() });
  return (
    <>
      <Button
        component="a"
        href={href}
        fullWidth
        // Above a page, a text says what a log-in loses. With one of these keys the page stays.
        onClick={({ ctrlKey, metaKey, shiftKey }) => ctrlKey || metaKey || shiftKey || leaveAnnounced()}
      >
        {t.session.logInWith(ways.oidc.label)}
      </Button>
      {ways.password && <Divider label={t.session.or} my="md" />}
    </>
  );
}

const LOG_IN_PATH = /^\/dashboard\/login\/?$/;

function requestedPage(): string {
  const { pathname, search, hash } = window.location;
  return LOG_IN_PATH.test(pathname) ? '/dashboard' : `${pathname}${search}${hash}`;
}

/** Returns what an `error` of the address means, and what to do. */
function refusalOf(code: string): string | undefined {
  const texts: Readonly<Record<string, string>> = t.session.refusals;
  return Object.hasOwn(texts, code) ? texts[code] : t.session.refusals.failed;
}

/**
 * Why the single sign-on that led to this page failed, in words. It is removed from the address
 * bar, so that a reload or a bookmark does not repeat it.
 */
export function useSignOnRefusal(): string | undefined {
  const [refusal] = useState(() => {
    const code = new URLSearchParams(window.location.search).get('error');
    if (code === null || !LOG_IN_PATH.test(window.location.pathname)) return undefined;
    return refusalOf(code);
  });
  useEffect(() => {
    if (refusal) window.history.replaceState(window.history.state, '', window.location.pathname);
  }, [refusal]);
  return refusal;
}

export function SignOnRefusal({ refusal }: { refusal: string | undefined }) {
  if (!refusal) return null;
  return (
    <Alert color="red" role="alert" mb="md">
      {refusal}
    </Alert>
  );
}
