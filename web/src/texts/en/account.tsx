import type { ReactNode } from 'react';
import { plural } from '../format.ts';

export const account = {
  title: 'Your account',
  singleSignOn: 'single sign-on',
  logIn: 'Log-in',
  logInBy: (provider: string) => `You log in with ${provider}. Your password and your second factor are managed there.`,

  saveName: 'Save name',
  yourName: 'Your name',
  nameSaved: 'Name saved',
  shownAs: (name: string) => `You are shown as ${name}`,

  password: 'Password',
  passwordNote: 'All your other sessions end with the change.',
  noPassword:
    'Your account has no password yet. With a password you can log in on any device and use your recovery codes.',
  currentPassword: 'Current password',
  showCurrentPassword: 'Show current password',
  newPassword: 'New password',
  passwordRule: 'At least 12 characters.',
  showNewPassword: 'Show new password',
  // The problem comes from the service: must have at least 12 characters.
  passwordProblem: (problem: string) => `The password ${problem}.`,
  replacePassword: 'Replace password',
  passwordReplaced: 'Password replaced',
  otherSessionsEnded: 'All your other sessions have ended',

  passkeys: 'Passkeys',
  passkeysNote: 'A passkey logs you in with the screen lock of your device or with a security key, without a password.',
  codesLeft: (count: number) => plural(count, { one: '# recovery code left.', other: '# recovery codes left.' }),
  addPasskey: 'Add passkey',
  addPasskeyTitle: 'Add a passkey',
  passkeyAdded: 'Passkey added',
  passkeyAddedNote: 'You can now log in with it',
  passkeyRefused: (reason: string) => `You cannot add a passkey: ${reason}.`,
  noPasskeysHere:
    'You cannot add a passkey here. Use a browser that supports passkeys, and open this page over HTTPS with a host name.',
  passkeyUsed: (added: ReactNode, lastUsed: ReactNode) => (
    <>
      Added {added}, last used {lastUsed}
    </>
  ),
  passkeyUnused: (added: ReactNode) => <>Added {added}, not used yet</>,
  removePasskey: (name: string) => `Remove passkey: ${name}`,
  passkeyNameNote: 'Shown in your list of passkeys, for example the name of the device.',
  passkeyNext: 'Your browser then asks where to keep the passkey.',
  removePasskeyTitle: 'Remove this passkey?',
  removePasskeyNote: (name: ReactNode) => (
    <>
      <strong>{name}</strong> can no longer log in. Delete it on your device, too.
    </>
  ),
  removeOnlyFactorNote: (name: ReactNode) => (
    <>
      <strong>{name}</strong> can no longer log in. Your password alone then opens your account, and the recovery codes
      stop working. Delete it on your device, too.
    </>
  ),

  device: (browser: string, system: string) => `${browser} on ${system}`,
  unknownDevice: 'Unknown device',

  authenticator: 'Authenticator app',
  on: 'On',
  off: 'Off',
  authenticatorOn: 'To log in you need your password and a code from the app.',
  authenticatorOff: 'An app on your phone shows codes. To log in you then need your password and a code.',
  addAuthenticator: 'Add authenticator app',
  addAuthenticatorTitle: 'Add an authenticator app',
  removeAuthenticator: 'Remove authenticator app',
  removeAuthenticatorTitle: 'Remove the authenticator app?',
  passkeysStay: 'Your passkeys stay your second factor, and the recovery codes stay valid.',
  passwordAlone: 'Your password alone then opens your account. The recovery codes stop working.',
  scan: 'Scan this QR code with your authenticator app.',
  qrCode: 'The key as a picture for a camera',
  howToAdd: (openApp: ReactNode) => <>On this phone: {openApp}. Without a camera: enter this key in the app.</>,
  openApp: 'open your authenticator app',
  code: 'Code',
  codeNote: 'The six digits that the app shows now.',
  logInAgain: 'Log in again.',
  turnOn: 'Turn on',

  saveCodes: 'Save your recovery codes',
  codesNote:
    'When you have neither your phone nor your passkey, your password and one of these codes log you in. Each code ' +
    'works once.',
  codes: 'Recovery codes',
  copyCodes: 'Copy codes',
  downloadCodes: 'Download codes',
  codesFile: 'recovery-codes.txt',
  keepCodes:
    'Keep the codes in a place that you reach without your phone, for example on paper or in a password manager.',

  sessions: 'Sessions',
  thisSession: 'This session',
  methods: {
    password: 'by password',
    link: 'by a link',
    invitation: 'by an invitation',
    passkey: 'by passkey',
    oidc: 'by single sign-on',
  },
  loggedIn: (method: string, at: ReactNode, ends: ReactNode) => (
    <>
      Logged in {method} {at}, ends {ends}
    </>
  ),
  loggedInFrom: (method: string, at: ReactNode, address: string, ends: ReactNode) => (
    <>
      Logged in {method} {at} from {address}, ends {ends}
    </>
  ),
  endSession: 'End session',
  endSessionOf: (device: string) => `End session: ${device}`,
  endOthers: 'End all others',
};
