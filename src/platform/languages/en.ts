/**
 * What is wrong with the entries of a visitor, and why a form refuses them. `by` names the number
 * that selects the form of a plural. Codes are part of the API (spec 7): they stay.
 */
export const problems = {
  // Problems of entries.
  required: 'is required',
  empty: 'must not be empty',
  notEmail: 'must be an email address',
  notText: 'must be a string',
  notNumber: 'must be a number',
  notDate: 'must be a date like 2026-01-31 or a date-time with its zone like 2026-01-31T08:30:00Z',
  notBoolean: 'must be true or false',
  notList: 'must be an array',
  notObject: 'must be an object',
  notChoice: 'must be one of the allowed values',
  notChoices: 'must be a list of the allowed values',
  otherChoice: 'must have only allowed values',
  choiceTwice: 'must not have a value twice',
  tooFewChoices: { by: 'min', one: 'must have at least {min} choice', other: 'must have at least {min} choices' },
  tooManyChoices: { by: 'max', one: 'must have at most {max} choice', other: 'must have at most {max} choices' },
  mustBeTrue: 'must be true',
  tooShort: { by: 'min', one: 'must have at least {min} character', other: 'must have at least {min} characters' },
  tooLong: { by: 'max', one: 'must have at most {max} character', other: 'must have at most {max} characters' },
  tooSmall: 'must be at least {min}',
  tooLarge: 'must be at most {max}',
  tooManyDigits: 'has too many digits',
  nearZero: 'is too small and would become 0',
  pattern: 'does not match the required pattern',
  tooLongForPattern: 'is too long to be checked against the pattern',
  noTimeZone: 'has no time zone: send its IANA name as _tz',
  notTimeZone: 'must be an IANA time zone like Europe/Berlin',
  unknownField: 'is not a field of this app',
  staffOnly: 'can only be set by the team of this app',
  unknownProperty: 'is not a known property',
  invalidKey: 'is not a valid key: a key starts with a letter and has at most 51 letters, digits and underscores',
  reservedName:
    'has a property whose name is not allowed: names may not begin with $, contain a dot or NUL, or be reserved',
  tooManyKeys: {
    by: 'max',
    one: 'must have at most {max} key beyond the fields of the schema',
    other: 'must have at most {max} keys beyond the fields of the schema',
  },
  renamed: 'was renamed to {key}',
  redirect: 'must be a URL of an origin that the app lists, or a path of the site that sends the form',
  keyFormat: 'must be 1 to 255 visible ASCII characters',
  keyMismatch: 'must be the same as the header Idempotency-Key',
  notUtf8: 'must be utf-8',
  invalid: 'is not valid',

  // Reasons of refusals.
  closed: 'This form is closed',
  full: 'This form is full',
  listFull: {
    by: 'max',
    one: '{path} is full: it holds at most {max} item',
    other: '{path} is full: it holds at most {max} items',
  },
} as const;

/** English, which defines the codes of all languages of forms, and their placeholders. */
export const en = {
  ...problems,

  // The form and the pages after it.
  email: 'Email',
  send: 'Send',
  leaveEmpty: 'Leave this empty',
  chooseAtLeast: 'Choose at least {min}.',
  chooseAtMost: 'Choose at most {max}.',
  chooseExactly: 'Choose {min}.',
  chooseBetween: 'Choose {min} to {max}.',
  thanks: 'Thank you. Your entries are stored.',
  thanksHeld: 'Thank you. Your entries will be checked before they are stored.',
  thanksConfirm:
    'Check your inbox for an email to confirm your address. If you have already confirmed it, no email is sent.',
  closedPage: 'This form is closed. It no longer accepts entries.',
  notSent: 'The form could not be sent. Check your connection and send it again. It is stored only once.',
  fileLeftOut: '{name}: files cannot be sent with this form',
  notSentAgain: '{problem}; this entry is left out when you send the form again.',

  // What to do after a refusal, by status.
  title400: 'There is a problem with your entries',
  text400: 'Nothing was sent. Correct the entries and send the form again.',
  title403: 'The form was not accepted',
  text403: 'Nothing was stored. Tell the owner of the website with the form.',
  text403Site:
    'Nothing was stored: the form accepts no entries from the website that you came from. Tell the owner of the website. If it is yours, allow it in the dashboard, on the Connect page.',
  text403Again: 'Nothing was stored. Open the page with the form again, then send it once more.',
  title404: 'This form does not exist',
  text404: 'Check the address. The form may have been renamed or removed.',
  title409: 'There is no room for this entry',
  text409: 'Nothing was stored. Tell the owner of the form that a list is full.',
  title413: 'The entries are too long',
  text413: 'Nothing was stored. Shorten your entries and send the form again.',
  title415: 'The form was sent in a format that cannot be read',
  text415: 'Nothing was stored. Tell the owner of the website with the form.',
  title422: 'This form was already sent with other entries',
  text422: 'The earlier entries are stored. To send these as well, send the form again.',
  title429: 'Too many submissions',
  text429: 'Nothing was stored. Wait a minute, then send the form again.',
  title503: 'The service is not available at the moment',
  text503: 'Wait a moment, then send the form again. It is stored only once, however often you send it.',
  titleOther: 'The form could not be sent',
  textOther: 'Try again later. If it fails again, tell the owner of the website with the form.',

  // The confirmation of an email address: its email and its pages.
  confirmTitle: 'Confirm your email address',
  confirmButton: 'Confirm email address',
  confirmAsk: 'Press the button to confirm that you entered your email address in this form.',
  confirmedTitle: 'Confirmed',
  confirmed: 'Thank you. Your email address is confirmed.',
  mailReason: 'Someone entered this email address in a form: {title}',
  mailOpen: 'If it was you, open this page and press the button:',
  mailValid: 'The link is valid until {time}.',
  mailIgnore: 'If it was not you, ignore this email. The address will not be confirmed.',
  linkInvalidTitle: 'This link is not valid',
  linkInvalid: 'Check that the address is complete. To get another link, send the form again.',
  linkExpiredTitle: 'This link has expired',
  linkExpired: {
    by: 'days',
    one: 'A link is valid for {days} day. Send the form again to get another one.',
    other: 'A link is valid for {days} days. Send the form again to get another one.',
  },
  linkLater: 'Wait a moment, then open the link again.',
  notConfirmedTitle: 'The address was not confirmed',
  notConfirmed: 'Open the link of the email again. If it fails again, tell the owner of the form.',
  openForm: 'Open the form',
} as const;
