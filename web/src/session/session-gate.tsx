import { Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Session } from '../api/endpoints.ts';
import { LoadError } from '../components/load-error.tsx';
import { LogInForm } from './log-in-form.tsx';
import { LogInPage } from './log-in-page.tsx';
import { useSession } from './session.ts';

/** Above the dialogs of the page, which can be open when the session ends. */
const LOGIN_Z_INDEX = 1_000;

/** Renders the pages or the login page. When the session ends, a dialog keeps the page's state. */
export function SessionGate({ children }: { children: (session: Session) => ReactNode }) {
  const { data: session, error, refetch } = useSession();
  if (!session) return error ? <LoadError error={error} onRetry={refetch} /> : null;
  if (session.state === 'loggedOut') return <LogInPage />;
  return (
    <>
      <div key={session.sourceAppId} inert={session.state === 'ended'}>
        {children(session)}
      </div>
      <Modal
        opened={session.state === 'ended'}
        onClose={() => undefined}
        withCloseButton={false}
        zIndex={LOGIN_Z_INDEX}
        title="Your session has ended"
      >
        <Text size="sm" mb="md">
          Log in again to continue. Your unsaved changes are kept.
        </Text>
        <LogInForm sourceAppId={session.sourceAppId} />
      </Modal>
    </>
  );
}
