import { Alert } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ApiError, hasStatus } from '../api/call.ts';
import { duration } from '../components/content/time.tsx';
import { t } from '../texts/first-texts.ts';
import { PasskeyError } from './passkeys.ts';
import { CookieRejected } from './session.ts';

interface LogInErrorProps {
  error: Error | null;
  secondsLeft: number;
  /** What a 401 means. */
  wrong: string;
}

/** Why a log-in failed, in words. */
export function LogInError({ error, secondsLeft, wrong }: LogInErrorProps) {
  if (!error) return null;
  return (
    <Alert color="red" role="alert">
      {secondsLeft > 0 ? t.session.tooManyFailures(duration(secondsLeft)) : errorText(error, wrong)}
    </Alert>
  );
}

export function errorText(error: Error, wrong: string): string {
  if (error instanceof CookieRejected) return error.message;
  if (error instanceof PasskeyError) return `${error.message}.`;
  if (!(error instanceof ApiError)) return t.session.checkConnection(error.message);
  if (error.status === 401) return wrong;
  if (error.status === 429) return t.session.tryAgainNow;
  const [issue] = error.issues;
  const texts: Readonly<Record<string, (problem: string) => string>> = t.session.problems;
  return (issue && texts[issue.path]?.(issue.message)) ?? `${error.message}.`;
}

/** Counts down the seconds of `Retry-After` after a 429. */
export function useCountdown(error: Error | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const seconds = hasStatus(error, 429) ? (error.retryAfter ?? 0) : 0;
    const until = Date.now() + seconds * 1000;
    setLeft(seconds);
    if (seconds === 0) return;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000))), 1000);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}
