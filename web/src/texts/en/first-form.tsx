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
      you can invite people with accounts of their own.
    </>
  ),
  copyPassword: 'Copy password',
  passwordWarning: "You won't see this password again. An administrator can replace it at any time.",

  nextTitle: 'Next',
  changeFields: 'Change the fields',
  changeSettings: 'Change the texts, emails and limits of the form',
  invitePeople: 'Invite people to the app',
  seeUsers: 'See all people',

  // From here on the people who fill in the form read everything but `name` and `purpose`.
  fullName: 'Name',
  templates: {
    newsletter: {
      name: 'Newsletter',
      purpose: 'Name, and a consent whose history is kept.',
      consent: 'I want to receive the newsletter by email',
      consentHelp: 'You can unsubscribe at any time.',
      title: 'Newsletter',
      submit: 'Subscribe',
      thanks: 'Thank you. You are on the list.',
    },
    contact: {
      name: 'Contact',
      purpose: 'Name, message, and a status that only your team sets. The inbox keeps each message for 90 days.',
      message: 'Message',
      status: 'Status',
      new: 'New',
      inProgress: 'In progress',
      done: 'Done',
      title: 'Contact us',
      submit: 'Send message',
      thanks: 'Thank you. We will reply by email.',
    },
    waitingList: {
      name: 'Waiting list',
      purpose: 'Name, what people want to do with it, and the campaign that led them here.',
      useCase: 'What would you like to use it for?',
      campaign: 'Campaign',
      title: 'Join the waiting list',
      submit: 'Join',
      thanks: 'Thank you. You are on the waiting list.',
    },
    event: {
      name: 'Event',
      purpose: 'Name, how people take part, the sessions they choose, number of guests, and notes.',
      attendance: 'How will you take part?',
      onSite: 'On site',
      online: 'Online',
      sessions: 'Which sessions interest you?',
      talks: 'Talks',
      workshops: 'Workshops',
      dinner: 'Dinner',
      guests: 'Guests who come with you',
      notes: 'Notes',
      notesHelp: 'For example what you cannot eat',
      title: 'Registration',
      submit: 'Register',
      thanks: 'Thank you. You are registered.',
    },
    feedback: {
      name: 'Feedback',
      purpose: 'A rating and a comment. The inbox keeps each answer for 90 days.',
      rating: 'How do you like it?',
      veryGood: 'Very good',
      good: 'Good',
      fair: 'Fair',
      poor: 'Poor',
      veryPoor: 'Very poor',
      comment: 'What should we improve?',
      title: 'Your feedback',
      submit: 'Send feedback',
      thanks: 'Thank you for your feedback.',
    },
    empty: {
      name: 'Empty',
      purpose: 'Only the email. You define the fields yourself.',
    },
  },
};
