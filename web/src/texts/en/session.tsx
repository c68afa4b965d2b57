import type { ReactNode } from 'react';

export const session = {
  logIn: 'Log in',
  howToLogIn: 'How to log in',
  asApp: 'By app',
  byEmail: 'By email',
  administratorNote: (idVariable: ReactNode, passwordVariable: ReactNode) => (
    <>
      <strong>Administrator?</strong> At its first start, the service printed a link to your account, and an app ID and
      a password, in the terminal below the URL of this page. ID and password can also be set with {idVariable} and{' '}
      {passwordVariable}.
    </>
  ),
  operatorNote: () => (
    <>
      <strong>Operator?</strong> Ask your administrator for the app ID and password. A lost password can't be recovered,
      but an administrator can create a new one.
    </>
  ),
  accountNote: () => (
    <>
      <strong>No account yet?</strong> A manager of your app or an administrator invites you. You get a link to choose a
      password or a passkey.
    </>
  ),
  signOnNote: () => (
    <>
      <strong>No access yet?</strong> Ask your administrator for access. You then log in here with the account that you
      use elsewhere.
    </>
  ),

  appId: 'App ID',
  password: 'Password',
  showPassword: 'Show password',
  wrongAppIdOrPassword: 'Wrong app ID or password.',
  wrongEmailOrPassword: 'Wrong email or password.',
  forgotPassword: 'Forgot your password?',
  forgotNote: 'You get an email with a link to choose a new password.',
  sendEmail: 'Send email',
  emailAsked: (email: string) => (
    <>
      If <strong>{email}</strong> has an account, an email with a link is on its way. The link works for an hour. If no
      email arrives, ask your administrator for a link: this service may not be able to send email.
    </>
  ),
  backToLogIn: 'Back to the log-in',

  tooManyFailures: (wait: string) => `Too many failed log-ins. Try again in ${wait}.`,
  tryAgainNow: 'You can try again now.',
  checkConnection: (problem: string) => `${problem}. Check your connection and try again.`,
  cookieRejected:
    'The log-in was correct, but the browser did not store the session cookie. Allow cookies for this site. In ' +
    'production, open the dashboard over HTTPS.',
  // The problem comes from the service in English, for example "must be a valid email".
  problems: {
    sourceAppId: (problem: string) => `The app ID ${problem}.`,
    password: (problem: string) => `The password ${problem}.`,
    email: (problem: string) => `The email ${problem}.`,
    name: (problem: string) => `The name ${problem}.`,
    code: (problem: string) => `The code ${problem}.`,
  },

  or: 'or',
  logInWithPasskey: 'Log in with a passkey',
  unknownPasskey: 'The service does not know this passkey. It was removed, or belongs to another address.',
  // The dashboard adds a full stop to each.
  passkeyErrors: {
    notUsed: 'No passkey was used: the request was cancelled, took too long, or found no passkey on this device',
    notCreated: 'No passkey was created: the request was cancelled or took too long',
    exists: 'This device has a passkey of your account already',
    otherAddress: (host: string) => `Passkeys work only at the address of the service: open the dashboard at ${host}`,
    notSupported: 'This device cannot keep a passkey: turn its screen lock on, or use another device',
    notSetUp: (problem: string) =>
      `Passkeys are not set up here. Log in another way, and tell your administrator: ${problem}`,
  },

  factors: {
    passkey: 'Use a passkey',
    totp: 'Use the authenticator app',
    recovery: 'Use a recovery code',
  },
  passkeyNote: 'Confirm with your passkey that it is you.',
  usePasskey: 'Use passkey',
  noPasskeyHere: 'Your passkey does not work in this browser or at this address.',
  codeNote: 'Enter the code that your authenticator app shows now.',
  recoveryNote: 'Enter one of the recovery codes that you saved. Each works once.',
  code: 'Code',
  recoveryCode: 'Recovery code',
  wrongCode:
    'This code is wrong or was used. Enter the next code that the app shows. If that fails too, go back and log in again.',
  wrongRecoveryCode:
    'This recovery code is wrong or was used. Enter another one. If that fails too, go back and log in again.',
  continue: 'Continue',

  confirmTitle: 'Confirm that it is you',
  endedTitle: 'Your session has ended',
  confirmNote: 'This change needs a log-in of the last ten minutes. Log in again to make it.',
  endedNote: 'Log in again to continue.',
  leavesPage: (provider: string) => `A log-in with ${provider} leaves this page, and unsaved changes are lost.`,
  keepsChanges: 'Your unsaved changes are kept.',

  logInWith: (provider: string) => `Log in with ${provider}`,
  refusals: {
    expired: 'The log-in took too long or was begun in another window. Try again.',
    failed:
      'The log-in did not succeed: it was cancelled, or the provider and this service disagree. Try again. If it ' +
      'fails again, tell your administrator.',
    no_access:
      'Your log-in was correct, but you have no access here. Ask your administrator for an invitation to the email ' +
      'that you use there.',
    unavailable: 'The provider of the log-in cannot be reached now. Try again in a minute.',
  },
};
