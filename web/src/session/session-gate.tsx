import { type MantineThemeOverride, MantineThemeProvider, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { LoadError } from '../components/page/load-error.tsx';
import { t } from '../texts/first-texts.ts';
import { AccountLogIn } from './account-log-in.tsx';
import { LogInForm } from './log-in-form.tsx';
import { LogInPage } from './log-in-page.tsx';
import { type Session, useCancelConfirmation, useSession } from './session.ts';
import { SignOnButton, useLogInWays } from './single-sign-on.tsx';

/** Above the dialogs of the page, which can be open when the session ends. */
const LOGIN_Z_INDEX = 1_000;
/** Escape closes all open dialogs of Mantine. Those below the log-in keep what was typed. */
const BELOW_LOG_IN: MantineThemeOverride = {
  components: { Modal: Modal.extend({ defaultProps: { closeOnEscape: false } }) },
};

/**
 * Renders the pages or the login page. When the session ends, or a change needs another log-in, a
 * dialog keeps the page's state.
 */
export function SessionGate({ children }: { children: (session: Session) => ReactNode }) {
  const { data: session, error, refetch } = useSession();
  const cancel = useCancelConfirmation();
  if (!session) return error ? <LoadError error={error} onRetry={refetch} /> : null;
  if (session.state === 'loggedOut') return <LogInPage />;
  const isConfirming = session.state === 'confirming';
  const isLoggedIn = session.state === 'loggedIn';
  return (
    <>
      <div key={session.identity} inert={!isLoggedIn}>
        <MantineThemeProvider {...(!isLoggedIn && { theme: BELOW_LOG_IN })}>{children(session)}</MantineThemeProvider>
      </div>
      <Modal
        opened={!isLoggedIn}
        onClose={cancel}
        withCloseButton={isConfirming}
        closeButtonProps={{ 'aria-label': t.common.close }}
        closeOnClickOutside={false}
        zIndex={LOGIN_Z_INDEX}
        title={isConfirming ? t.session.confirmTitle : t.session.endedTitle}
      >
        <LogInAgain session={session} isConfirming={isConfirming} />
      </Modal>
    </>
  );
}

/** The ways to log in as before, above the page. */
function LogInAgain({ session, isConfirming }: { session: Session; isConfirming: boolean }) {
  const { account, sourceAppId } = session;
  const ways = useLogInWays();
  if (!ways) return null;
  return (
    <>
      <Text mb="md">
        {isConfirming ? t.session.confirmNote : t.session.endedNote}{' '}
        {ways.oidc && t.session.leavesPage(ways.oidc.label)}
        {ways.password && !ways.oidc && !isConfirming && t.session.keepsChanges}
      </Text>
      <SignOnButton ways={ways} />
      {ways.password && account && <AccountLogIn email={account.email} />}
      {ways.password && !account && <LogInForm {...(sourceAppId !== undefined && { sourceAppId })} />}
    </>
  );
}
