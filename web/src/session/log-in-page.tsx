import { Code, Tabs, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Entrance } from '../entrance/entrance.tsx';
import { AccountLogIn } from './account-log-in.tsx';
import { LogInForm } from './log-in-form.tsx';
import { SignOnButton, SignOnRefusal, useLogInWays, useSignOnRefusal } from './single-sign-on.tsx';

type Way = 'app' | 'account';

/** How somebody logged in last, in this browser. */
export function useWay(): [Way, (way: Way) => void] {
  const [way, setWay] = useLocalStorage<Way>({
    key: 'log-in by',
    defaultValue: 'app',
    getInitialValueInEffect: false,
  });
  return [way === 'account' ? 'account' : 'app', setWay];
}

export function LogInPage() {
  const [way, setWay] = useWay();
  const ways = useLogInWays();
  const refusal = useSignOnRefusal();
  if (!ways) return null;
  if (!ways.password) {
    return (
      <Entrance title="Log in" note={<SignOnNote />}>
        <SignOnRefusal refusal={refusal} />
        <SignOnButton ways={ways} />
      </Entrance>
    );
  }
  return (
    <Entrance title="Log in" note={way === 'app' ? <AppNote /> : <AccountNote />}>
      <SignOnRefusal refusal={refusal} />
      <SignOnButton ways={ways} />
      <Tabs value={way} onChange={(chosen) => setWay(chosen === 'account' ? 'account' : 'app')} keepMounted={false}>
        <Tabs.List grow mb="lg" aria-label="How to log in">
          <Tabs.Tab value="app">As an app</Tabs.Tab>
          <Tabs.Tab value="account">By email</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="app">
          <LogInForm />
        </Tabs.Panel>
        <Tabs.Panel value="account">
          <AccountLogIn />
        </Tabs.Panel>
      </Tabs>
    </Entrance>
  );
}

function AppNote() {
  return (
    <>
      <Text size="sm">
        <strong>Administrator?</strong> At its first start, the service printed your app ID and password in the
        terminal, below the URL of this page. They can also be set with <Code>ADMIN_APP_ID</Code> and{' '}
        <Code>ADMIN_PASSWORD</Code>.
      </Text>
      <Text size="sm" mt="xs">
        <strong>Operator?</strong> Ask your administrator for the app ID and password. A lost password can't be
        recovered, but an administrator can create a new one.
      </Text>
    </>
  );
}

function AccountNote() {
  return (
    <Text size="sm">
      <strong>No account yet?</strong> A manager of your app or an administrator invites you. You get a link to choose a
      password or a passkey.
    </Text>
  );
}

function SignOnNote() {
  return (
    <Text size="sm">
      <strong>No access yet?</strong> Your administrator gives it to you. You then log in here as you do elsewhere.
    </Text>
  );
}
