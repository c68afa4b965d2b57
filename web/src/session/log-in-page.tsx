import { Code, Tabs, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Entrance } from '../entrance/entrance.tsx';
import { t } from '../texts/first-texts.ts';
import { AccountLogIn } from './account-log-in.tsx';
import { LogInForm } from './log-in-form.tsx';
import { SignOnButton, SignOnRefusal, useLogInWays, useSignOnRefusal } from './single-sign-on.tsx';

type Way = 'app' | 'account';

/** How somebody logged in last, in this browser; undefined if nobody did. */
export function useWay(): [Way | undefined, (way: Way) => void] {
  const [way, setWay] = useLocalStorage<Way | undefined>({
    key: 'log-in by',
    defaultValue: undefined,
    getInitialValueInEffect: false,
  });
  return [way === 'account' || way === 'app' ? way : undefined, setWay];
}

export function LogInPage() {
  const [lastWay, setWay] = useWay();
  const ways = useLogInWays();
  const refusal = useSignOnRefusal();
  if (!ways) return null;
  const way = lastWay ?? (ways.accounts ? 'account' : 'app');
  if (!ways.password) {
    return (
      <Entrance title={t.session.logIn} note={<Text>{t.session.signOnNote()}</Text>}>
        <SignOnRefusal refusal={refusal} />
        <SignOnButton ways={ways} />
      </Entrance>
    );
  }
  return (
    <Entrance title={t.session.logIn} note={way === 'app' ? <AppNote /> : <Text>{t.session.accountNote()}</Text>}>
      <SignOnRefusal refusal={refusal} />
      <SignOnButton ways={ways} />
      <Tabs value={way} onChange={(chosen) => setWay(chosen === 'account' ? 'account' : 'app')} keepMounted={false}>
        <Tabs.List grow mb="lg" aria-label={t.session.howToLogIn}>
          <Tabs.Tab value="app">{t.session.asApp}</Tabs.Tab>
          <Tabs.Tab value="account">{t.session.byEmail}</Tabs.Tab>
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
      <Text>{t.session.administratorNote(<Code>ADMIN_APP_ID</Code>, <Code>ADMIN_PASSWORD</Code>)}</Text>
      <Text mt="xs">{t.session.operatorNote()}</Text>
    </>
  );
}
