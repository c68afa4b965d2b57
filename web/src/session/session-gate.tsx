import { Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Session } from '../api/endpoints.ts';
import { Retry } from '../components/retry.tsx';
import { LogInForm } from './log-in-form.tsx';
import { LogInPage } from './log-in-page.tsx';
import { useSession } from './session.ts';

/** A dialog of the page may be open when the session ends. */
const ABOVE_DIALOGS = 1_000;

/**
 * Shows the pages to who is logged in. The log-in takes the place of the page at the same address, so one is back where one was; and when a session ends, it is asked
 * for above the page, so nothing that was typed is lost.
 */
export function SessionGate({ children }: { children: (session: Session) => ReactNode }) {
  const { data: session, error, refetch } = useSession();
  if (!session) return error ? <Retry error={error} onRetry={refetch} /> : null;
  if (session.state === 'out') return <LogInPage />;
  return (
    <>
      <div key={session.sourceAppId} inert={session.state === 'ended'}>
        {children(session)}
      </div>
      <Modal
        opened={session.state === 'ended'}
        onClose={() => undefined}
        withCloseButton={false}
        zIndex={ABOVE_DIALOGS}
        title="Your session has ended"
      >
        <Text size="sm" mb="md">
          Log in again to go on. Nothing on the page behind is lost.
        </Text>
        <LogInForm sourceAppId={session.sourceAppId} />
      </Modal>
    </>
  );
}
