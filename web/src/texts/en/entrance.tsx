export const entrance = {
  noTokenNote: 'Open the link that you received again. For your safety, the address bar does not keep the link.',
  goneTitle: 'This link no longer works',
  goneNote: 'The link was used, was withdrawn or has expired. Ask for a new link.',
  goToDashboard: 'Go to the dashboard',

  resetTitle: 'Choose a new password',
  resetNote: 'All sessions of your account end.',
  saveAndLogIn: 'Save and log in',
  newPassword: 'New password',
  newPasswordNote: (minimum: number) => `At least ${minimum} characters. A few words are easy to remember.`,
  logInAgain: 'Log in again.',

  linkTitle: 'Log in with a link',
  linkNote: 'This link logs you in once, without a password.',
  invalidLink: 'This link is not valid.',

  invitedTitle: 'Set up your access',
  invitedBy: 'Invited by',
  loading: 'Loading',
  invitation: 'Your invitation',
  app: 'App',
  role: 'Role',
  for: 'For',
  administrator: 'Administrator',
  administratorMeaning: 'You can change everything in every app, and invite others.',
  member: 'Member',
  memberMeaning: 'You get an account. A manager or an administrator adds you to apps later.',
  roles: {
    viewer: { name: 'Viewer', meaning: 'You can read people, charts and held submissions.' },
    editor: { name: 'Editor', meaning: 'You can read, change, erase, import and export people.' },
    manager: { name: 'Manager', meaning: 'You can change everything in the app, and invite others.' },
  },
  hasAccount: (email: string) => (
    <>
      <strong>{email}</strong> has an account. Log in to accept the invitation. Your name and your password stay as they
      are.
    </>
  ),
  otherAccountTitle: 'You use another account',
  otherAccountNote: (email: string) => (
    <>
      You are logged in as <strong>{email}</strong>. To accept this invitation, log out first.
    </>
  ),
  logOutAndContinue: 'Log out and continue',
  loggedInAs: (name: string, email: string) => (
    <>
      You are logged in as <strong>{name}</strong> ({email}).
    </>
  ),
  accept: 'Accept invitation',
  useOtherAccount: 'Use another account',
  createAccount: 'Create account',
  usePasskey: 'Use a passkey instead',
  yourName: 'Your name',
  yourNameNote: 'The members of your apps see this name.',

  passkeyReady: 'Your passkey is ready. You can use these recovery codes after you have also chosen a password.',
  accountCreated: 'Your account is created. Now follow the steps that your browser shows to create the passkey.',
  noPasskeyTitle: 'Your account has no passkey yet',
  noPasskeyNote: (problem: string) => `${problem} Without a passkey or a password you cannot log in again.`,
  tooLate: 'More than ten minutes have passed. Ask your administrator for a log-in link.',
  sessionEnded: 'Your session has ended. Ask your administrator for a log-in link.',
  choosePassword: 'Choose a password',
  savePassword: 'Save password',
  savePasswordNote: 'You log in with your email and this password. You can add a passkey later.',
  backToPasskey: 'Back to the passkey',
};
