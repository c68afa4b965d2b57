import type { FieldDefinitionInput } from '../../../src/core/fields/definition.ts';

// Files in the forms of the exports of other programs. The people are invented.

/** The fields of an app that can take them. */
export const FOREIGN_FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text' },
  { key: 'last', kind: 'text' },
  { key: 'place', kind: 'text' },
  { key: 'topics', kind: 'multiselect', enum: ['News', 'Events', 'Tea, coffee'] },
  { key: 'member', kind: 'checkbox' },
  { key: 'score', kind: 'number' },
  { key: 'born', kind: 'date' },
  { key: 'sentAt', kind: 'date' },
  { key: 'note', kind: 'text' },
];

interface ForeignFile {
  content: string | Buffer;
  settings: Record<string, unknown>;
  /** The data of its records, by the name before the @ of their emails. */
  people: Record<string, Record<string, unknown>>;
  /** The lines that are no people. */
  rejected?: number[];
}

const lines = (...rows: readonly string[]): string => rows.map((row) => `${row}\n`).join('');
const windowsLines = (...rows: readonly string[]): string => rows.map((row) => `${row}\r\n`).join('');

const BERLIN = { timeZone: 'Europe/Berlin' };

const EXCEL_DE = windowsLines(
  'E-Mail;Name, Vorname;Ort;Mitglied;Beitrag;Geboren;Zeitstempel',
  'ada@example.com;Lovelace, Ada;Köln;WAHR;1.234,50;10.12.15;31.12.2024 15:04',
  'emmy@example.com;"Noether; Emmy";"Erlangen\nBayern";FALSCH;-0,5;23.03.82;',
  ';;;;;;',
  'sonja@example.com;Kowalewskaja, Sonja;Moskau',
);
const EXCEL_DE_SETTINGS = {
  map: {
    'E-Mail': 'email',
    'Name, Vorname': 'data.name',
    Ort: 'data.place',
    Mitglied: 'data.member',
    Beitrag: 'data.score',
    Geboren: 'data.born',
    Zeitstempel: 'data.sentAt',
  },
  ...BERLIN,
  decimal: ',',
  columns: {
    Geboren: { dateFormat: 'DD.MM.YY' },
    Zeitstempel: { dateFormat: 'DD.MM.YYYY HH:mm' },
    Mitglied: { true: ['wahr'], false: ['falsch'] },
  },
};
const EXCEL_DE_PEOPLE = {
  ada: {
    name: 'Lovelace, Ada',
    place: 'Köln',
    member: true,
    score: 1234.5,
    born: '2015-12-10',
    sentAt: '2024-12-31T15:04:00+01:00',
  },
  emmy: { name: 'Noether; Emmy', place: 'Erlangen\nBayern', member: false, score: -0.5, born: '1982-03-23' },
  sonja: { name: 'Kowalewskaja, Sonja', place: 'Moskau' },
};

const EXCEL_EN = windowsLines(
  'Email,First Name,Last Name,Member,Amount,Birthday,Created',
  'ada@example.com,Ada,Lovelace,TRUE,"1,234.50",12/10/85,12/31/24 3:04 PM',
  'grace@example.com,Grace,Hopper,FALSE,7,1/9/06,1/2/25 12:30 AM',
);
const EXCEL_EN_SETTINGS = {
  map: {
    Email: 'email',
    'First Name': 'data.name',
    'Last Name': 'data.last',
    Member: 'data.member',
    Amount: 'data.score',
    Birthday: 'data.born',
    Created: 'data.sentAt',
  },
  ...BERLIN,
  columns: { Birthday: { dateFormat: 'M/D/YY' }, Created: { dateFormat: 'M/D/YY h:mm A' } },
};
const EXCEL_EN_PEOPLE = {
  ada: {
    name: 'Ada',
    last: 'Lovelace',
    member: true,
    score: 1234.5,
    born: '1985-12-10',
    sentAt: '2024-12-31T15:04:00+01:00',
  },
  grace: {
    name: 'Grace',
    last: 'Hopper',
    member: false,
    score: 7,
    born: '2006-01-09',
    sentAt: '2025-01-02T00:30:00+01:00',
  },
};

export const FOREIGN_FILES: Readonly<Record<string, ForeignFile>> = {
  'Google Forms': {
    content: lines(
      '"Timestamp","Username","Your name","Which topics interest you?\n(several answers are possible)","Born"',
      '"2024/12/31 3:04:05 PM GMT+1","ada@example.com","Ada ""Countess"" Lovelace","News;Events","1815-12-10"',
      '"2025/01/02 9:00:00 AM GMT+1","grace@example.com","Grace Hopper","","1906-12-09"',
    ),
    settings: { map: { Username: 'email', 'Your name': 'data.name', '#4': 'data.topics', Born: 'data.born' } },
    people: {
      ada: { name: 'Ada "Countess" Lovelace', topics: ['News', 'Events'], born: '1815-12-10' },
      grace: { name: 'Grace Hopper', born: '1906-12-09' },
    },
  },

  'Google Sheets': {
    content: windowsLines(
      'Timestamp,Email Address,Name,Topics,Member?',
      '12/31/2024 15:04:05,ada@example.com,Ada,"News, Events",Yes',
      '1/2/2025 9:00:00,grace@example.com,Grace,"Tea, coffee",No',
    ),
    settings: {
      map: {
        Timestamp: 'data.sentAt',
        'Email Address': 'email',
        Name: 'data.name',
        Topics: 'data.topics',
        'Member?': 'data.member',
      },
      dateFormat: 'M/D/YYYY H:mm:ss',
      timeZone: 'America/New_York',
      columns: { Topics: { separator: ', ' } },
    },
    people: {
      ada: { name: 'Ada', topics: ['News', 'Events'], member: true, sentAt: '2024-12-31T15:04:05-05:00' },
      grace: { name: 'Grace', topics: ['Tea, coffee'], member: false, sentAt: '2025-01-02T09:00:00-05:00' },
    },
  },

  Typeform: {
    content: lines(
      "#,What's your *name*?,Your email,Score,Start Date (UTC),Submit Date (UTC),Network ID,Tags",
      '8f2k1,Ada,ada@example.com,7,2024-12-31 15:03:11,2024-12-31 15:04:05,a1b2,',
      '9d3m2,"Grace, Admiral",grace@example.com,,2025-01-02 08:59:00,2025-01-02 09:00:00,c3d4,',
    ),
    settings: {
      map: {
        "What's your *name*?": 'data.name',
        'Your email': 'email',
        Score: 'data.score',
        'Submit Date (UTC)': 'data.sentAt',
      },
      dateFormat: 'YYYY-MM-DD HH:mm:ss',
      timeZone: 'UTC',
    },
    people: {
      ada: { name: 'Ada', score: 7, sentAt: '2024-12-31T15:04:05+00:00' },
      grace: { name: 'Grace, Admiral', sentAt: '2025-01-02T09:00:00+00:00' },
    },
  },

  Mailchimp: {
    content: lines(
      '"Email Address","First Name","Last Name",Address,"Phone Number",Birthday,MEMBER_RATING,OPTIN_TIME,CONFIRM_TIME,LEID,TAGS',
      'ada@example.com,Ada,Lovelace,"1 Main St  Ulm  89073  DE","+49 731 1",12/10,4,,"2024-12-31 15:04:05",1001,"""News"",""Events"""',
      'grace@example.com,Grace,Hopper,,,,n/a,,"2025-01-02 09:00:00",1002,',
    ),
    settings: {
      map: {
        'Email Address': 'email',
        'First Name': 'data.name',
        'Last Name': 'data.last',
        Address: 'data.place',
        MEMBER_RATING: 'data.score',
        CONFIRM_TIME: 'data.sentAt',
        TAGS: 'data.note',
      },
      columns: {
        MEMBER_RATING: { empty: ['N/A', '-'] },
        CONFIRM_TIME: { dateFormat: 'YYYY-MM-DD HH:mm:ss', timeZone: 'UTC' },
      },
    },
    people: {
      ada: {
        name: 'Ada',
        last: 'Lovelace',
        place: '1 Main St  Ulm  89073  DE',
        score: 4,
        sentAt: '2024-12-31T15:04:05+00:00',
        note: '"News","Events"',
      },
      grace: { name: 'Grace', last: 'Hopper', sentAt: '2025-01-02T09:00:00+00:00' },
    },
  },

  HubSpot: {
    content: lines(
      '"Record ID","First Name","Last Name","Email","Phone Number","Create Date","Topics","First Name"',
      '"151","Ada","Lovelace","ada@example.com","","2024-12-31 15:04","Events;News","A."',
      '"152","Grace","Hopper","grace@example.com","","2025-01-02 09:00","",""',
    ),
    settings: {
      map: {
        '#2': 'data.name',
        'Last Name': 'data.last',
        Email: 'email',
        'Create Date': 'data.sentAt',
        Topics: 'data.topics',
        '#8': 'data.note',
      },
      dateFormat: 'YYYY-MM-DD HH:mm',
      ...BERLIN,
    },
    people: {
      ada: {
        name: 'Ada',
        last: 'Lovelace',
        sentAt: '2024-12-31T15:04:00+01:00',
        topics: ['News', 'Events'],
        note: 'A.',
      },
      grace: { name: 'Grace', last: 'Hopper', sentAt: '2025-01-02T09:00:00+01:00' },
    },
  },

  Salesforce: {
    content: windowsLines(
      '"First Name","Last Name","Email","Birthdate","Created Date"',
      '"Ada","Lovelace","ada@example.com","12/10/1815","12/31/2024, 3:04 PM"',
      '"Grace","Hopper","grace@example.com","","1/2/2025, 9:00 AM"',
      '',
      '"Contacts"',
      '"Copyright (c) 2000-2024 salesforce.com, inc. All rights reserved."',
      '"Generated By:  A. Person  12/31/2024, 3:10 PM"',
    ),
    settings: {
      map: {
        'First Name': 'data.name',
        'Last Name': 'data.last',
        Email: 'email',
        Birthdate: 'data.born',
        'Created Date': 'data.sentAt',
      },
      ...BERLIN,
      columns: { Birthdate: { dateFormat: 'M/D/YYYY' }, 'Created Date': { dateFormat: 'M/D/YYYY, h:mm A' } },
    },
    people: {
      ada: { name: 'Ada', last: 'Lovelace', born: '1815-12-10', sentAt: '2024-12-31T15:04:00+01:00' },
      grace: { name: 'Grace', last: 'Hopper', sentAt: '2025-01-02T09:00:00+01:00' },
    },
    rejected: [5, 6, 7],
  },

  Airtable: {
    content: `\uFEFF${lines(
      'Name,Email,Topics,Paid,Created',
      'Ada,ada@example.com,"News,Events",checked,12/31/2024 3:04pm',
      '"Grace\nHopper",grace@example.com,,,1/2/2025 9:00am',
    )}`,
    settings: {
      map: { Name: 'data.name', Email: 'email', Topics: 'data.topics', Paid: 'data.member', Created: 'data.sentAt' },
      dateFormat: 'M/D/YYYY h:mmA',
      ...BERLIN,
      columns: { Topics: { separator: ',' }, Paid: { true: ['checked'] } },
    },
    people: {
      ada: { name: 'Ada', topics: ['News', 'Events'], member: true, sentAt: '2024-12-31T15:04:00+01:00' },
      grace: { name: 'Grace\nHopper', sentAt: '2025-01-02T09:00:00+01:00' },
    },
  },

  'Excel, German': { content: EXCEL_DE, settings: EXCEL_DE_SETTINGS, people: EXCEL_DE_PEOPLE },
  'Excel, German, with a mark': {
    content: `\uFEFF${EXCEL_DE}`,
    settings: EXCEL_DE_SETTINGS,
    people: EXCEL_DE_PEOPLE,
  },
  'Excel, German, with sep=': {
    content: `sep=;\r\n${EXCEL_DE}`,
    settings: EXCEL_DE_SETTINGS,
    people: EXCEL_DE_PEOPLE,
  },
  'Excel, English': { content: EXCEL_EN, settings: EXCEL_EN_SETTINGS, people: EXCEL_EN_PEOPLE },
  'Excel, English, Unicode text': {
    content: Buffer.from(`\uFEFF${EXCEL_EN.replaceAll(/,(?!\d{3}\.)/g, '\t')}`, 'utf16le'),
    settings: EXCEL_EN_SETTINGS,
    people: EXCEL_EN_PEOPLE,
  },
  'Excel, French': {
    content: `\uFEFF${windowsLines(
      'Adresse e-mail;Prénom;Ville;Membre;Montant;Né le',
      'ada@example.com;Ada;Orléans;VRAI;1234,5;10/12/1985',
      'emilie@example.com;Émilie;"Paris; 5e";FAUX;0,25;17/12/2006',
    )}`,
    settings: {
      map: {
        'Adresse e-mail': 'email',
        Prénom: 'data.name',
        Ville: 'data.place',
        Membre: 'data.member',
        Montant: 'data.score',
        'Né le': 'data.born',
      },
      decimal: ',',
      dateFormat: 'DD/MM/YYYY',
      columns: { Membre: { true: ['VRAI'], false: ['FAUX'] } },
    },
    people: {
      ada: { name: 'Ada', place: 'Orléans', member: true, score: 1234.5, born: '1985-12-10' },
      emilie: { name: 'Émilie', place: 'Paris; 5e', member: false, score: 0.25, born: '2006-12-17' },
    },
  },

  LibreOffice: {
    content: lines(
      'E-Mail,Name,Score,Born,Note',
      'ada@example.com,Ada,"1,5",31.12.85,"a ""quote"", and more"',
      'grace@example.com,Grace,2,01.02.06,',
      ',,,,',
    ),
    settings: {
      map: { 'E-Mail': 'email', Name: 'data.name', Score: 'data.score', Born: 'data.born', Note: 'data.note' },
      decimal: ',',
      dateFormat: 'DD.MM.YY',
    },
    people: {
      ada: { name: 'Ada', score: 1.5, born: '1985-12-31', note: 'a "quote", and more' },
      grace: { name: 'Grace', score: 2, born: '2006-02-01' },
    },
  },

  Formspree: {
    content: lines(
      'date,email,name,message,_gotcha',
      '2024-12-31T15:04:05.123Z,ada@example.com,Ada,"Hello,\nI am Ada.\n\nBye",',
      '2025-01-02T09:00:00.000Z,grace@example.com,Grace,=1+1,',
    ),
    settings: { map: { date: 'data.sentAt', email: 'email', name: 'data.name', message: 'data.note' } },
    people: {
      ada: { name: 'Ada', sentAt: '2024-12-31T15:04:05.123Z', note: 'Hello,\nI am Ada.\n\nBye' },
      grace: { name: 'Grace', sentAt: '2025-01-02T09:00:00.000Z', note: '=1+1' },
    },
  },

  Tally: {
    content: lines(
      'Submission ID,Respondent ID,Submitted at,Name,Email,Topics,Topics (News),Topics (Events),Member',
      'q1,r1,2024-12-31 15:04:05,Ada,ada@example.com,"News, Events",TRUE,TRUE,x',
      'q2,r2,2025-01-02 09:00:00,Grace,grace@example.com,News,TRUE,FALSE,',
    ),
    settings: {
      map: {
        'Submitted at': 'data.sentAt',
        Name: 'data.name',
        Email: 'email',
        Topics: 'data.topics',
        Member: 'data.member',
      },
      dateFormat: 'YYYY-MM-DD HH:mm:ss',
      timeZone: 'UTC',
      columns: { Topics: { separator: ',' }, Member: { true: ['X'] } },
    },
    people: {
      ada: { name: 'Ada', topics: ['News', 'Events'], member: true, sentAt: '2024-12-31T15:04:05+00:00' },
      grace: { name: 'Grace', topics: ['News'], sentAt: '2025-01-02T09:00:00+00:00' },
    },
  },
};
