import { useEffect, useRef, useState } from 'react';
import { call, hasStatus } from '../../api/call.ts';
import { type Scope, scopeParameter } from '../scope.ts';

/** After so many failures one after another the rest is not tried. */
const MAX_FAILURES_IN_A_ROW = 5;

interface Failure {
  email: string;
  message: string;
}

/** The progress of an erasure. */
export interface Erasure {
  isRunning: boolean;
  total: number;
  /** The ids of the users whose records are gone. */
  gone: string[];
  failures: Failure[];
}

/** Erases users one after another; each is erased or named with the reason. */
export function useErasure(scope: Scope) {
  const [erasure, setErasure] = useState<Erasure>();
  const stopped = useRef(false);
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );

  async function run(users: ReadonlyMap<string, string>): Promise<Erasure> {
    stopped.current = false;
    const done: Erasure = { isRunning: true, total: users.size, gone: [], failures: [] };
    const show = (): void => setErasure({ ...done, gone: [...done.gone], failures: [...done.failures] });
    let failuresInARow = 0;
    show();
    for (const [id, email] of users) {
      if (stopped.current || failuresInARow === MAX_FAILURES_IN_A_ROW) break;
      const message = await erase(id);
      if (message === undefined) done.gone.push(id);
      else done.failures.push({ email, message });
      failuresInARow = message === undefined ? 0 : failuresInARow + 1;
      show();
    }
    done.isRunning = false;
    show();
    return done;
  }

  /** Resolves with the error, or with undefined when the record is erased. */
  async function erase(id: string): Promise<string | undefined> {
    try {
      await call('DELETE /auth/users/:id', { params: { id }, query: scopeParameter(scope) });
      return undefined;
    } catch (error) {
      if (hasStatus(error, 404) && error.code === 'userNotFound') return undefined;
      return error instanceof Error ? error.message : String(error);
    }
  }

  const stop = (): void => {
    stopped.current = true;
  };
  return { erasure, run, stop };
}
