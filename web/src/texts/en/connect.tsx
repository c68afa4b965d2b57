import type { ReactNode } from 'react';
import { formatNumber, plural } from '../format.ts';
import { SettingLink } from '../setting-link.tsx';
import { common } from './common.tsx';

export const connect = {
  title: 'Share the form',
  note: (sourceAppId: string, version: number) => `${sourceAppId} · schema version ${version}`,
  goToStart: 'Go to the start page',
  design: 'Design',

  overview: {
    notes: 'Notes',
    updates: () => (
      <>
        <strong>Updates:</strong> A later submission with the same email updates the record. Submitted values replace
        stored values, list items are appended, and other fields keep their values.
      </>
    ),
    checkboxes: () => (
      <>
        <strong>Checkboxes:</strong> Browsers send nothing for a checkbox that is not ticked. The code therefore has a
        hidden <code>false</code> before each one, so that a person can take a consent back.
      </>
    ),
  },

  status: {
    title: 'What works now',
    meanings: {
      yes: 'Works:',
      no: 'Does not work:',
      info: 'Note:',
    },
    formPage: (link: ReactNode) => <>The form as a page: {link}.</>,
    moreSettings: (settings: ReactNode) => <>Texts, closing time and bot protection are in {settings}.</>,
    settings: 'Settings',
    whatIsHeld: (held: ReactNode) => <>Submissions that bot protection holds: {held}.</>,
    held: 'Held submissions',

    closed: (since: string) => `The form has been closed since ${since}`,
    closedNote: 'Every submission is refused.',
    closes: (at: string) => `The form closes on ${at}`,
    full: (records: number, maximum: number) =>
      `The form is full: ${formatNumber(records)} of at most ${formatNumber(maximum)} records are stored`,
    fullNote: 'Submissions of new people are refused.',
    room: (records: number, maximum: number) =>
      `${formatNumber(records)} of at most ${formatNumber(maximum)} records are stored`,
    open: 'The form is open',
    openNote: 'Its page and programs can submit.',
    files: 'Pages opened from a file can submit',
    noFiles: 'Pages opened from a file cannot submit',
    noFilesNote: 'To try a form that you saved on your computer, allow files under “Allowed websites”.',
    everySite: 'Pages on every website can submit',
    noSite: 'Pages on your website cannot submit yet',
    noSiteNote: 'Add its address under “Allowed websites”.',
    sites: (sites: string) => `Pages on ${sites} can submit`,
    off: 'Bot protection is off',
    honeypot: 'A hidden field catches simple bots',
    honeypotNote: 'Their submissions are held until somebody releases or deletes them.',
    proofOfWork: 'Bot protection needs JavaScript',
    proofOfWorkNote:
      'Forms that are sent without JavaScript are held until you release them, and their senders see that. Programs that ' +
      'send no proof of work are refused.',
    checkedBy: (name: string) => `${name} checks each submission`,
    needs: (fields: string) => `Required in each submission: ${fields}`,
    more: (count: number) => `${formatNumber(count)} more`,
  },

  origins: {
    title: 'Allowed websites',
    note: 'Browsers tell the service which website a form is on. Forms on other websites are refused. A change works at once.',
    every: 'Allow every website',
    everyNote: 'Anybody can put this form on their page. This replaces the list.',
    files: 'Allow files on your computer',
    filesNote:
      'For trying a form that you saved as a file: its origin is "null". Switch this off after the test. A website with ' +
      'Referrer-Policy: no-referrer or same-origin has that origin too: set strict-origin there instead.',
    notSaved: 'The change was not saved',
    notAnAddress: 'Enter the address of a website, such as https://www.example.com',
    removeOf: (origin: string) => `Remove ${origin}`,
    sibling: (origin: string) => `${origin} is another website for browsers.`,
    allowSibling: 'Allow it too',
    address: 'Address of your website',
    allow: 'Allow',

    refused: 'Refused websites',
    lastRefused: (origin: string, count: number, at: ReactNode) => (
      <>
        Last refused: <strong>{origin}</strong> ({plural(count, { one: 'once', other: '# times' })}, {at})
      </>
    ),
    file: 'a file on a computer, or a website with Referrer-Policy: no-referrer or same-origin',
    allowOf: (origin: string) => `Allow ${origin}`,
    allowFiles: 'Allow files',

    ignored: 'Ignored addresses',
    ignoredNote: () => (
      <>
        Forms asked to send people to these addresses after a submission (<code>_next</code>). The submissions are
        stored, and the people saw the thank-you page. Allow only addresses of your own websites.
      </>
    ),
    lastIgnored: (origin: string, count: number, at: ReactNode) => (
      <>
        Last ignored: <strong>{origin}</strong> ({plural(count, { one: 'once', other: '# times' })}, {at})
      </>
    ),
    addressOnly: 'an address without a website',
    allowAddress: (origin: string) => `Allow the address ${origin}`,
    wholeAddress: 'Write the whole address, as https://www.example.com/thanks',
    httpsOnly: 'People are sent to https addresses only',
    listInstead: 'List your websites instead of allowing every one',
  },

  liveTest: {
    title: 'Try it',
    send: 'Send a test submission',
    possible: (email: string) => `Stores example values as ${email}.`,
    impossible: {
      challenge: 'A test needs a solved challenge.',
      file: 'A test needs a file.',
      https: 'While proof of work is on, a test needs https. Open this page over https to send one.',
    },
    sendOwn: (link: ReactNode) => <>{link} to send your own.</>,
    openFormPage: 'Open the form page',
    notSent: 'The test could not be sent',
    notSentNote: 'The service did not respond. Try again.',
    stored: 'The test submission is stored.',
    refused: 'The test submission was refused',
    doNotFit: 'The example values do not fit every field. Send your own on the form page.',
    status: (status: number) => `The service responded with status ${status}`,

    received: (email: string, at: ReactNode) => (
      <>
        <strong>Received: {email}</strong>, {at}.
      </>
    ),
    receivedUnknown: (at: ReactNode) => (
      <>
        <strong>Received: a submission</strong>, {at}.
      </>
    ),
    waiting: 'Waiting for a submission from your site…',
    waitingNote: 'Send your form, and it appears here.',
    held: (email: string, at: ReactNode) => (
      <>
        Bot protection holds a submission of {email}, {at}.
      </>
    ),
    showHeld: 'Show held submissions',
  },

  settings: {
    title: 'Settings',
    form: 'Form settings',
    saved: 'Saved. The settings apply now.',
    noChanges: 'No changes',
    discarded: 'Changes discarded',
    invalid: (count: number) => plural(count, { one: '# invalid setting', other: '# invalid settings' }),
    discard: 'Discard',
    save: 'Save settings',
    restored: 'Your unsaved changes were restored.',
    secretNotKept: 'Enter the secret key again: it is not kept.',
    notSaved: (error: string) => `The settings were not saved: ${error}.`,
    conflict: 'Someone else saved these settings while you were editing them',
    theyChanged: (names: string) => `They changed: ${names}.`,
    youChangedToo: (names: string) => `You changed too: ${names}.`,
    overwrite: 'Overwrite theirs with my changes',
    keepBoth: 'Keep my changes and theirs',
    discardMine: 'Discard my changes and load theirs',

    names: {
      name: 'Name',
      title: 'Title',
      description: 'Description',
      submitLabel: 'Button',
      thanks: 'Thank-you text',
      next: 'Page after the form',
      locale: 'Language',
      languages: 'Languages of visitors',
      pages: 'Texts of the pages',
      texts: 'Texts in other languages',
      preset: 'Look',
      accent: 'Accent color',
      scheme: 'Light or dark',
      font: 'Font',
      corners: 'Corners',
      logo: 'Logo',
      logoDark: 'Logo for dark backgrounds',
      logoAlt: 'What the logo says',
      cover: 'Cover picture',
      drafts: 'Unsent entries',
      timeZone: 'Time zone',
      captchaSiteKey: 'Site key',
      captchaSecret: 'Secret key',
      captchaOutage: 'While the provider cannot be reached',
      botProtection: 'Bot protection',
      submitPerMinute: 'Submissions per minute',
      closesAt: 'Closes at',
      maxRecords: 'Maximum number of records',
      existing: 'Who may change a record?',
      receipt: 'Answer to a submission',
      doubleOptIn: 'Ask people to confirm their email address',
      notifyEmails: 'Notify by email',
      notifyWhen: 'Send the notification',
      notifyRoutes: 'Notify others about some entries',
      replyWhen: 'Reply to the person by email',
      replySubject: 'Subject of the reply',
      replyText: 'Text of the reply',
      replyTexts: 'Reply',
      own: 'People may see their entry',
    },

    texts: 'Texts',
    nameNote: 'What people read instead of the app ID',
    titleNote: 'The heading of the form',
    descriptionNote: 'Shown above the fields. **bold**, *italic*, [link](https://…)',
    thanksNote: 'Shown after a submission. **bold**, *italic*, [link](https://…)',
    nextNote: 'Your own page that people see instead of the thank-you text',
    localeNote: 'The language of your texts, such as en, de or pt-BR',
    accentNote: 'Of buttons and links. Where it is hard to see, it is shown darker or lighter',
    pickColor: 'Choose the accent color',
    presetNote: 'What you choose below replaces parts of it',
    draftsKept: 'Keep what visitors typed until they send it',
    draftsNote: 'In their browser, until its tab is closed. Never consents',
    themes: {
      unset: 'Standard',
      preset: {
        plain: 'Plain',
        paper: 'Paper',
        midnight: 'Midnight',
        meadow: 'Meadow',
        blossom: 'Blossom',
        ocean: 'Ocean',
        terminal: 'Terminal',
        poster: 'Poster',
      },
      scheme: { light: 'Always light', dark: 'Always dark', auto: 'As the visitor has it' },
      font: { system: 'Font of the device', serif: 'Serif', rounded: 'Rounded', mono: 'Monospaced' },
      corners: { square: 'Square', round: 'Round' },
    },
    imageNote: (max: number) => `PNG, JPEG or WebP, at most ${max} kB`,
    logoAltNote: 'Read aloud to people who do not see the logo, for example your name',
    images: {
      logo: { choose: 'Choose a logo', replace: 'Choose another logo', remove: 'Remove the logo' },
      logoDark: {
        choose: 'Choose a logo for dark backgrounds',
        replace: 'Choose another logo for dark backgrounds',
        remove: 'Remove the logo for dark backgrounds',
      },
      cover: {
        choose: 'Choose a cover picture',
        replace: 'Choose another cover picture',
        remove: 'Remove the cover picture',
      },
    },
    notImage: 'This file is not a PNG, JPEG or WebP picture',
    imageTooLarge: (size: number, max: number) =>
      `This file has ${formatNumber(size)} kB. It may have at most ${formatNumber(max)} kB`,
    shownDevice: 'Device in the preview',
    viewLanguage: 'Language in the preview',
    devices: { desktop: 'Desktop', phone: 'Phone' },
    visitorScheme: 'Colors in the preview',
    visitorSchemes: { auto: 'As here', light: 'Light', dark: 'Dark' },
    rules: 'Rules',
    protections: {
      honeypot: 'Hidden field: catches simple bots (recommended)',
      'proof-of-work': 'Proof of work: stronger, needs JavaScript',
      off: 'Off',
    },
    protectionNotes: {
      honeypot: 'Submissions that fill in a field that people do not see are held for you to check.',
      'proof-of-work':
        'The browser of each person computes for up to a second. Forms sent without JavaScript are held, programs are ' +
        'refused.',
      off: 'Every submission that fits the schema is stored.',
    },
    providerNote: 'Visitors solve a challenge of this provider, which sees their IP address.',
    secretStored: 'Stored. Enter a key to replace it',
    outages: {
      hold: 'Hold submissions for you to check',
      refuse: 'Refuse submissions',
    },
    closesAtNote: (zone: string) => `The form refuses every submission from this time. In your time zone, ${zone}`,
    maxRecordsNote: 'With this number of records, the form refuses new people',
    existing: {
      update: 'Anybody who enters its email address',
      updateNote: 'Entries with an email address that the app knows change its record.',
      keep: 'Only operators',
      keepNote:
        'Entries with an email address that the app knows change no record. The inbox has them, if the app has one.',
      confirm: 'The person, by email',
      confirmNote: 'Entries with an email address that the app knows wait for a week until the person confirms them.',
    },
    receipts: {
      unset: 'Standard',
      true: 'With the id and the times of the record',
      false: 'Only that it was accepted',
      shownNote: 'Answers of this app tell whether it knows the email address.',
      hiddenNote: 'Answers of this app do not tell whether it knows the email address.',
    },
    own: {
      title: 'What people may do with their entry',
      note: 'They ask for it on a page of the form. A link comes to their email address and is valid for 24 hours.',
      changes: 'Fields that people may change',
      allFields: 'All fields of the form',
      allFieldsNote: 'Also fields that you add later; not lists, and no field of your team',
      download: 'People may download what is stored about them',
      erase: 'People may erase everything that is stored about them',
      eraseNote: 'An erasure is final, and needs nobody of your team.',
      preview: 'The page as people see it',
    },
    noLimit: 'No limit',
    submitPerMinuteNote: 'From one address on the internet. Empty: the limit of the service',
    serviceLimit: 'Limit of the service',
    timeZoneNote: 'For times that a form sends without a zone, such as Europe/Berlin',

    languagesNote:
      'Visitors see the form in the language that they choose or that their browser prefers, if it is in this list. ' +
      'Otherwise they see the language above',
    shownLanguage: 'Language of the texts',
    original: 'Original',
    chooseLanguage: 'Choose a language to translate the texts and to see its preview.',
    serviceText: 'Text of the service',
    textIn: (name: string, language: string) => `${name} in ${language}`,

    email: 'Email',
    noMail: (
      <>
        This service sends no email: its setting <SettingLink name="SMTP_URL" /> is not set.
      </>
    ),
    noLinks: (
      <>
        This service does not know its address for links: its setting <SettingLink name="PUBLIC_URL" /> is not set.
      </>
    ),
    doubleOptInNote:
      'Each new person receives an email with a link. Every record is stored, and shows whether the address is confirmed.',
    notifyEmailsNote:
      'These addresses receive an email about new and changed entries. One address in each line, at most 10',
    times: {
      each: 'For each new or changed entry, with its values',
      daily: 'Once a day, with numbers only',
    },
    routesNote:
      'These addresses receive the email about an entry if the conditions hold when it is sent, beside the addresses above',
    routesEach: 'Routes need a notification for each entry',
    routeEmails: (place: number) => `Addresses of route ${place}`,
    routeEmailsNote: 'One address in each line, at most 10',
    addRoute: 'Add route',
    removeRoute: (place: number) => `Remove route ${place}`,
    replyNote: 'At most one email in an hour and 5 in a day. Answers go to the first address above',
    replyTimes: {
      never: 'No reply',
      created: 'After the first submission of a person',
      each: 'After each submission',
    },
    replyTextNote:
      'A line whose placeholder has no value is left out. Texts that people enter are only sent to confirmed ' +
      'addresses, so that nobody sends words to others through this form',
    placeholders: 'Placeholders:',
    replyPreview: 'Preview of the reply',

    preview: 'Preview',
    shownInPreview: 'Shown in the preview',
    formShown: 'Form',
    thanksShown: 'Thank-you page',
    sentTo: (url: string) => `People are sent to ${url}`,
  },

  emails: {
    note: (sourceAppId: string) => `What ${sourceAppId} sends by email. Each name opens its settings`,
    table: 'Table of emails',
    email: 'Email',
    to: 'To',
    when: 'When',
    off: 'Not sent',
    person: 'The person who submitted',
    team: 'Your team',
    names: {
      notification: 'Notification of your team',
      reply: 'Reply to a submission',
      confirmation: 'Confirmation of the email address',
      change: 'Confirmation of a change',
    },
    whens: {
      confirmation: 'After the first submission of a person',
      change: 'When somebody enters an email address that the app knows',
    },
  },

  import: {
    page: 'Import a form',
    title: 'Your form',
    html: 'HTML of your form',
    htmlNote: 'Forms for Formspree, Basin, Netlify, Web3Forms and your own work. The HTML stays in your browser.',
    htmlExample: `<form action="https://formspree.io/f/…" method="post">
  <label>Your email <input type="email" name="email" required></label>
  <label>Message <textarea name="message"></textarea></label>
  <button>Send</button>
</form>`,
    forms: (count: number) => plural(count, { one: 'The text has # form', other: 'The text has # forms' }),
    form: (name: string, controls: number) =>
      `${name} (${plural(controls, { one: '# control', other: '# controls' })})`,
    unnamedForm: (number: number) => `Form ${number}`,
    howToCopy: 'In your browser, open your page, view its source, and copy everything from <form to </form>.',
    noForm: 'No form was found',
    noFormNote: 'The text has no form fields. Copy everything from <form to </form>.',

    changes: 'Change in your HTML',
    formFor: (service: string) => `This is a form for ${service}.`,
    beginWith: 'Begin the form with this line, so that it is sent here:',
    refused: 'Change or remove these',
    nothingRefused: 'The fields can stay as they are.',
    others: 'Not stored',
    corrected: 'Corrected form',
    marked: (added: ReactNode, removed: ReactNode) => (
      <>
        What is {added} and what is {removed} is marked. The copy has the result.
      </>
    ),
    added: 'new',
    removed: 'left out',
    correctedHtml: 'Corrected HTML',

    fields: 'Fields',
    noFields: 'The form has no fields besides the email.',
    table: 'Table of fields',
    label: 'Label',
    key: 'Key',
    type: 'Type',
    schema: 'Schema',
    details: 'Details',
    states: {
      new: 'New',
      exists: 'In the schema',
      differs: 'Other type',
    },
    required: 'Required',

    schemaHasAll: 'The schema has all of these fields.',
    addToDraft: (count: number) => `Add ${common.fields(count)} to the schema draft`,
    addToDraftNote: 'You review the draft before it is saved.',
    adminAdds: (count: number, sourceAppId: string) =>
      `An administrator adds ${common.fields(count)} to the schema of ${sourceAppId}. Send them this text for the ` +
      'JSON tab of the schema editor.',
    schemaAsJson: 'Schema as JSON',

    meanings: {
      next: 'Understood: the page after the form',
      error: 'Understood: the page after a refusal',
      honeypot: 'Understood: a hidden field that catches bots',
      key: 'Understood: stores a repeated submission once',
      timeZone: 'Understood: the time zone of times',
      charset: 'Understood: the encoding',
      proofOfWork: 'Understood: proof of work',
      replyTo: 'Accepted and ignored, because the form has an email',
      ignored: 'Accepted and ignored',
      underscore: 'Ignored: names that begin with _ are not stored',
    },

    noElement: 'There is no form element around the fields',
    plainText: 'Remove enctype="text/plain", which cannot be read reliably',
    captcha: 'Remove the captcha. Settings have bot protection without one',
    replaceCaptcha: 'Replace the captcha with that of this app',
    renameHoneypot: 'Rename the hidden field for bots to _gotcha',
    noEmail: 'The form has no email. Add <input type="email" name="email" required>',
    renameEmail: 'Rename it to email, which every submission needs',
    requiredBySchema: (label: string) => `The schema requires it (${label}), and the form does not have it`,
    file: 'The form does not name the types of files. Check them in the schema',
    password: 'Passwords should not be collected. Remove the field',
    noKey: (key: string) => `The name cannot be a key. Rename it to ${key}`,
    staffOnly: 'Only the team of the app can set this field. Rename it, or remove it from the form',
    allowWebsite: (origin: string) => `People are only sent to allowed websites. Allow ${origin} on the page “Share”`,
    noName: 'Has no name, so browsers do not send it',
    buttonName:
      'Remove the name of the button: browsers send it as a field. If the button is an answer, ask with radio buttons',
    imageButton: 'Rename the image to _image: browsers send the place of the click as fields',
    buttonPlace: (attributes: string) => `Remove ${attributes} of the button, with which the form is not sent here`,

    severalValues: 'Several values: each submission appends them to a list',
    changeValue: (value: string) => `Change value="${value}" to value="true": other texts are refused`,
    hiddenFalse:
      'Put a hidden input with value="false" and the same name before it, so that "not ticked" is stored too',
    giveValues: 'Give each box a value: without one, all of them send "on"',
    hiddenNone:
      'Put a hidden input with an empty value and the same name before the boxes, so that "none" is stored too',
    noOptions: 'It has no options, so it becomes a text',
    noZone: 'Sends times without a zone: set the time zone in Settings',
    withoutOption: (option: string, message: string) => `Without its ${option}: ${message}`,
    initialValue: 'initial value',
    becomesText: (message: string) => `Becomes a text: ${message}`,
    invalid: 'is invalid',
  },

  snippets: {
    title: 'Put the form on your website',
    html: {
      name: 'Plain HTML',
      note: 'For any website. Needs no JavaScript.',
      use: 'Copy the form into your page, or save the whole text as a file that ends in .html and open it.',
    },
    embed: {
      name: 'Embed',
      note: 'For a form that always shows the newest fields. Needs JavaScript.',
      use: 'Paste both lines where the form should appear.',
    },
    enhanced: {
      name: 'Enhanced form',
      note: 'For a form in your own design that is sent without leaving the page. Also works without JavaScript.',
      use: 'Copy the form and the script into your page, or save the whole text as a file that ends in .html.',
    },
    link: {
      name: 'Link',
      note: 'For emails, profiles and sites where you cannot add a form. Needs nothing.',
      use: 'Paste the link into your page, or send its address to people.',
    },
    fetch: {
      name: 'JavaScript',
      note: 'For a script in your own page. Needs JavaScript.',
      use: 'Paste it into a script of type "module", and replace the example values.',
    },
    curl: {
      name: 'Terminal',
      note: 'For a quick try without a website. Needs curl.',
      use: 'Paste the command into a terminal.',
    },
    node: {
      name: 'Node.js',
      note: 'For your own server. Needs Node.js 20 or newer.',
      use: 'Save it as a file that ends in .mjs, and replace the example values.',
    },
    jsonSchema: {
      name: 'JSON Schema',
      note: 'For programs that check data before they send it, or generate code.',
      use: (url: string, app: string) => `Copy it, or read the newest at ${url} with the header x-app-id: ${app}.`,
    },
    formHeld:
      'Proof of work is on: submissions of this form are held until you release them. Use Embed or Enhanced form ' +
      'instead.',
    codeRefused:
      'This code is refused: it does not solve the challenge of your bot protection. Use Embed, Enhanced form or Link ' +
      'instead.',
    onlyFiles:
      'It works from a file on your computer. Before you put it online, add your website under “Allowed websites”.',
    noWebsite:
      'No website is allowed yet. Add yours under “Allowed websites”, or try it once and allow it there with one click.',
    onlyHere: (origin: string) =>
      `It sends to ${origin}, which only works on this computer. Before you put it online, open the dashboard at the ` +
      'public address of the service and copy it there.',

    // Comments of HTML and JavaScript.
    trap: 'People do not see this field. A program that fills it in is held back.',
    ownPage: 'To show your own page afterwards, change this address and remove the marks around it:',
    noRandomUuid: 'crypto.randomUUID() exists only on HTTPS pages.',
    sameKey: 'Send the same key again if you get no response. The record is then stored once.',
    fileFirst: 'A file is sent first, and the submission has the token of the answer.',
    // Between single quotes of JavaScript.
    storedAs: 'Stored as',
  },
};
