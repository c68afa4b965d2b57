import type { ReactNode } from 'react';

export const firstForm = {
  firstTitle: 'Create your first form',
  title: 'New app from a template',
  note: 'Choose what to begin with. You can change the fields and texts at any time.',
  template: 'Template',
  notify: 'Email each submission to',
  notifyNote: 'Leave it empty for no emails. You can add addresses later.',
  createForm: 'Create form',
  incompleteTitle: 'The form is not complete yet',
  incompleteNote: (sourceAppId: string, problem: string) =>
    `The app ${sourceAppId} was created, but its fields were not stored: ${problem}. Try again.`,

  readyTitle: 'Your form is ready',
  tryTitle: 'Try your form',
  tryNote: 'Open it and send it yourself, or share its address. It needs no website.',
  openForm: () => (
    <>
      Open the form<span className="visually-hidden"> (in a new tab)</span>
    </>
  ),
  copyAddress: 'Copy address',

  submissionTitle: 'First submission',
  received: (email: string, time: ReactNode) => (
    <>
      <strong>Received: {email}</strong>, {time}.
    </>
  ),
  waiting: 'Waiting for the first submission…',
  waitingNote: 'Open the form and send it. It appears here.',
  values: 'Submitted values',

  passwordTitle: 'Password of the app',
  passwordNote: (sourceAppId: string) => (
    <>
      With the app ID <strong>{sourceAppId}</strong> and this password a team can share one log-in. You do not need it:
      you can invite your team, each with an account of their own.
    </>
  ),
  copyPassword: 'Copy password',
  passwordWarning: "You won't see this password again. An administrator can replace it at any time.",

  nextTitle: 'Next',
  changeFields: 'Change the fields, texts and design',
  changeSettings: 'Change the emails and limits of the form',
  invitePeople: 'Invite your team to the app',
  seeUsers: 'See what people send',
};
