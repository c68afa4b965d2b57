/** The texts of one template, by the keys of its fields. */
export interface TemplateTexts {
  name: string;
  /** What the form asks, for the choice of a template. */
  purpose: string;
  title: string;
  description?: string;
  submit: string;
  thanks: string;
  labels?: Readonly<Record<string, string>>;
  helps?: Readonly<Record<string, string>>;
  choices?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  ends?: Readonly<Record<string, { min?: string; max?: string }>>;
  /** The titles of the pages, in their order. */
  pages?: readonly string[];
}

/** What templates are for, in the order in which they are shown. */
export const purposes = {
  contact: 'Contact and support',
  lists: 'Lists and sign-up',
  events: 'Events and courses',
  feedback: 'Feedback and surveys',
  business: 'Work, bookings and orders',
  other: 'From the beginning',
};

/** The labels of fields that several templates have. */
export const shared = {
  labels: {
    name: 'Name',
    phone: 'Phone number',
    company: 'Company',
    message: 'Message',
    comment: 'Comment',
    notes: 'Notes',
    status: 'Status',
    campaign: 'Campaign',
    date: 'Date',
    time: 'Time',
    files: 'Files',
    address: 'Address',
  },
  choices: {
    status: { new: 'New', 'in progress': 'In progress', done: 'Done' },
  },
};

export const templates = {
  contact: {
    name: 'Contact',
    purpose: 'Name, message, and a status that only your team sets. The inbox keeps each message for 90 days.',
    title: 'Contact us',
    submit: 'Send message',
    thanks: 'Thank you. We will reply by email.',
  },
  support: {
    name: 'Support request',
    purpose: 'A subject, how urgent it is, a description and screenshots.',
    title: 'How can we help?',
    description: 'Tell us what happened. The more we know, the faster we can help.',
    submit: 'Send request',
    thanks: 'Thank you. We have received your request and will get back to you.',
    labels: {
      topic: 'What is it about?',
      urgency: 'How urgent is it?',
      message: 'What happened?',
      files: 'Screenshots',
    },
    choices: {
      topic: { account: 'My account', billing: 'Billing', technical: 'A technical problem', other: 'Something else' },
      urgency: { low: 'It can wait', normal: 'In the next days', high: 'I cannot go on working' },
    },
  },
  callback: {
    name: 'Call me back',
    purpose: 'A phone number, and when to call.',
    title: 'We will call you',
    submit: 'Ask for a call',
    thanks: 'Thank you. We will call you at the time that suits you.',
    labels: { date: 'Which day suits you?', time: 'From what time?', message: 'What would you like to talk about?' },
  },
  'bug-report': {
    name: 'Problem report',
    purpose: 'What went wrong, the steps to see it, how bad it is, and pictures.',
    title: 'Report a problem',
    submit: 'Send report',
    thanks: 'Thank you. Your report helps us to repair it.',
    labels: {
      message: 'What went wrong?',
      steps: 'What did you do before?',
      where: 'Where did you see it?',
      severity: 'How much does it disturb you?',
      files: 'Pictures',
    },
    helps: { steps: 'Step by step, so that we can do the same', where: 'The address of the page' },
    ends: { severity: { min: 'Hardly', max: 'Very much' } },
  },
  returns: {
    name: 'Return',
    purpose: 'An order number, the reason, and what the person would like instead.',
    title: 'Return an item',
    submit: 'Send return',
    thanks: 'Thank you. You will get an email with the label for your parcel.',
    labels: {
      order: 'Order number',
      reason: 'Why do you return it?',
      wish: 'What would you like?',
      files: 'Pictures of the damage',
    },
    choices: {
      reason: {
        damaged: 'It is damaged',
        wrong: 'It is the wrong item',
        size: 'It does not fit',
        other: 'Another reason',
      },
      wish: { money: 'My money back', exchange: 'Another one', repair: 'A repair' },
    },
  },
  newsletter: {
    name: 'Newsletter',
    purpose: 'Name, and a consent whose history is kept.',
    title: 'Newsletter',
    submit: 'Subscribe',
    thanks: 'Thank you. You are on the list.',
    labels: { consent: 'I want to receive the newsletter by email' },
    helps: { consent: 'You can unsubscribe at any time.' },
  },
  'waiting-list': {
    name: 'Waiting list',
    purpose: 'Name, what people want to do with it, and the campaign that led them here.',
    title: 'Join the waiting list',
    submit: 'Join',
    thanks: 'Thank you. You are on the waiting list.',
    labels: { useCase: 'What would you like to use it for?' },
  },
  'beta-test': {
    name: 'Beta test',
    purpose: 'Devices, experience, and the promise to keep it confidential.',
    title: 'Become a beta tester',
    description: 'You see new versions first, and tell us what you think of them.',
    submit: 'Apply',
    thanks: 'Thank you. We will write to you when the next round begins.',
    labels: {
      devices: 'Which devices do you use?',
      experience: 'How experienced are you?',
      reason: 'Why would you like to take part?',
      secret: 'I keep what I see confidential until it is public',
    },
    choices: {
      devices: { iphone: 'iPhone or iPad', android: 'Android', windows: 'Windows', mac: 'Mac', linux: 'Linux' },
    },
    ends: { experience: { min: 'Beginner', max: 'Expert' } },
  },
  download: {
    name: 'Download',
    purpose: 'Company and role, and an optional consent to emails about the subject.',
    title: 'Get the guide',
    description: 'We send the link to your email address.',
    submit: 'Send me the guide',
    thanks: 'Thank you. Look into your inbox.',
    labels: { role: 'Your role', consent: 'I would like to get emails about this subject' },
    helps: { consent: 'At most one a month. You can unsubscribe at any time.' },
    choices: {
      role: { management: 'Management', technology: 'Technology', marketing: 'Marketing', other: 'Something else' },
    },
  },
  volunteers: {
    name: 'Volunteers',
    purpose: 'What people can do, when they have time, and a consent to keep their details.',
    title: 'Help with us',
    submit: 'Sign up',
    thanks: 'Thank you for your help. We will get in touch with you.',
    labels: {
      tasks: 'What would you like to do?',
      days: 'When do you have time?',
      consent: 'You may keep my details to ask me for help',
    },
    helps: { consent: 'We delete them when you ask us to.' },
    choices: {
      tasks: { setup: 'Set up and take down', guests: 'Look after guests', kitchen: 'Kitchen', driving: 'Drive' },
      days: { weekdays: 'Weekdays', evenings: 'Evenings', weekends: 'Weekends' },
    },
  },
  event: {
    name: 'Event',
    purpose: 'Name, how people take part, the sessions they choose, number of guests, and notes.',
    title: 'Registration',
    submit: 'Register',
    thanks: 'Thank you. You are registered.',
    labels: {
      attendance: 'How will you take part?',
      sessions: 'Which sessions interest you?',
      guests: 'Guests who come with you',
    },
    helps: { notes: 'For example what you cannot eat' },
    choices: {
      attendance: { 'on-site': 'On site', online: 'Online' },
      sessions: { talks: 'Talks', workshops: 'Workshops', dinner: 'Dinner' },
    },
  },
  webinar: {
    name: 'Webinar',
    purpose: 'Name, company, questions beforehand, and a consent to the recording.',
    title: 'Register for the webinar',
    description: 'You get the link by email, an hour before it begins.',
    submit: 'Save my place',
    thanks: 'Thank you. Your place is saved.',
    labels: { question: 'What would you like to know?', consent: 'I agree that the webinar is recorded' },
    helps: { consent: 'With what I say and write there.' },
  },
  invitation: {
    name: 'Reply to an invitation',
    purpose: 'Who comes, how many, and what they eat.',
    title: 'Will you come?',
    submit: 'Reply',
    thanks: 'Thank you. We are glad to know.',
    labels: {
      coming: 'Are you coming?',
      guests: 'How many are you?',
      food: 'What do you eat?',
      message: 'A few words to us',
    },
    choices: {
      coming: { yes: 'Yes, with pleasure', no: 'No, unfortunately not' },
      food: { all: 'Everything', vegetarian: 'Vegetarian', vegan: 'Vegan' },
    },
  },
  course: {
    name: 'Course',
    purpose: 'Which course, how much people know already, and how they pay.',
    title: 'Register for a course',
    submit: 'Register',
    thanks: 'Thank you. You get the confirmation and the invoice by email.',
    labels: {
      course: 'Course',
      level: 'How much do you know already?',
      address: 'Address for the invoice',
      terms: 'I accept the terms of participation',
    },
    choices: { course: { monday: 'Beginners, Mondays', wednesday: 'Advanced, Wednesdays', weekend: 'Weekend' } },
    ends: { level: { min: 'Nothing yet', max: 'A lot' } },
  },
  'course-feedback': {
    name: 'Course evaluation',
    purpose: 'Stars for content and teaching, the pace, and what to do better.',
    title: 'How was the course?',
    submit: 'Send evaluation',
    thanks: 'Thank you. Your answers make the next course better.',
    labels: {
      content: 'Content',
      teaching: 'Teaching',
      pace: 'How was the pace?',
      best: 'What was best?',
      better: 'What could be better?',
    },
    ends: { pace: { min: 'Too slow', max: 'Too fast' } },
  },
  feedback: {
    name: 'Feedback',
    purpose: 'Stars and a comment. The inbox keeps each answer for 90 days.',
    title: 'Your feedback',
    submit: 'Send feedback',
    thanks: 'Thank you for your feedback.',
    labels: { rating: 'How do you like it?', comment: 'What should we improve?' },
  },
  'customer-survey': {
    name: 'Customer survey',
    purpose: 'How likely people recommend you from 0 to 10, and why, with a question that depends on it.',
    title: 'Two questions for you',
    submit: 'Send answers',
    thanks: 'Thank you. We read every answer.',
    labels: {
      likely: 'How likely are you to recommend us to a friend or colleague?',
      better: 'What should we do better?',
      best: 'What do you like most?',
      consent: 'You may ask me about my answers by email',
    },
    ends: { likely: { min: 'Not likely at all', max: 'Very likely' } },
  },
  'team-survey': {
    name: 'Team survey',
    purpose: 'Mood, workload and cooperation, on two pages.',
    title: 'How are you?',
    description: 'It takes three minutes. Only those who evaluate it see your answers.',
    submit: 'Send answers',
    thanks: 'Thank you. We will talk about the results together.',
    labels: {
      mood: 'How do you like your work at the moment?',
      workload: 'How is your workload?',
      support: 'My team helps me when I need it',
      growth: 'I can learn new things',
      good: 'What goes well?',
      change: 'What would you change?',
    },
    ends: {
      workload: { min: 'Too little', max: 'Too much' },
      support: { min: 'Not at all', max: 'Completely' },
      growth: { min: 'Not at all', max: 'Completely' },
    },
    pages: ['In numbers', 'In your words'],
  },
  'job-application': {
    name: 'Job application',
    purpose: 'CV and cover letter, when people can begin, and a consent to keep the application.',
    title: 'Apply',
    description: 'We look forward to getting to know you.',
    submit: 'Send application',
    thanks: 'Thank you for your application. You hear from us within two weeks.',
    labels: {
      position: 'Position',
      cv: 'CV',
      letter: 'Why would you like to work with us?',
      link: 'Portfolio or profile',
      start: 'When could you begin?',
      source: 'How did you find us?',
      consent: 'You may keep my application for a year, also for other positions',
    },
    choices: {
      position: { design: 'Design', development: 'Development', sales: 'Sales', open: 'Open application' },
      source: { website: 'Your website', board: 'A job board', friend: 'A friend', other: 'Something else' },
    },
    pages: ['About you', 'Your application'],
  },
  quote: {
    name: 'Request for a quote',
    purpose: 'What people need, until when, for what budget, with files.',
    title: 'Tell us about your project',
    submit: 'Ask for a quote',
    thanks: 'Thank you. You get our quote within three working days.',
    labels: {
      services: 'What do you need?',
      project: 'Describe your project',
      budget: 'Budget',
      deadline: 'When do you need it?',
    },
    choices: {
      services: { advice: 'Advice', design: 'Design', development: 'Development', care: 'Maintenance' },
      budget: { small: 'Up to 5,000', medium: '5,000 to 20,000', large: 'More than 20,000', open: 'I do not know yet' },
    },
  },
  appointment: {
    name: 'Appointment',
    purpose: 'What for, on which day and at what time, and a phone number for questions.',
    title: 'Book an appointment',
    submit: 'Ask for the appointment',
    thanks: 'Thank you. We confirm your appointment by email.',
    labels: { service: 'What is it about?', first: 'Is this your first visit?' },
    choices: {
      service: { consultation: 'Consultation', treatment: 'Treatment', checkup: 'Check-up' },
      first: { yes: 'Yes', no: 'No' },
    },
  },
  table: {
    name: 'Table reservation',
    purpose: 'Day, time and how many people come.',
    title: 'Reserve a table',
    submit: 'Reserve',
    thanks: 'Thank you. We look forward to you.',
    labels: { guests: 'How many are you?' },
    helps: { notes: 'Such as allergies, a high chair or a wheelchair' },
  },
  order: {
    name: 'Order',
    purpose: 'What people order, where it goes and how they pay, on two pages.',
    title: 'Order',
    submit: 'Send order',
    thanks: 'Thank you for your order. You get the invoice by email.',
    labels: {
      product: 'What would you like?',
      size: 'Size',
      count: 'How many?',
      delivery: 'How do you get it?',
      payment: 'How do you pay?',
      terms: 'I accept the terms and conditions',
    },
    choices: {
      product: { box: 'Box', basket: 'Basket', voucher: 'Voucher' },
      size: { small: 'Small', medium: 'Medium', large: 'Large' },
      delivery: { pickup: 'I pick it up', delivery: 'By post' },
      payment: { invoice: 'By invoice', transfer: 'In advance by transfer' },
    },
    pages: ['Your order', 'Delivery'],
  },
  membership: {
    name: 'Membership',
    purpose: 'Personal details, kind of membership and the consents that an association needs.',
    title: 'Become a member',
    submit: 'Apply for membership',
    thanks: 'Welcome. The board confirms your membership by email.',
    labels: {
      born: 'Date of birth',
      kind: 'Kind of membership',
      terms: 'I accept the statutes',
      consent: 'I agree to the storage of my details for the membership',
      photos: 'You may publish pictures on which I am to be seen',
    },
    choices: { kind: { single: 'Single', family: 'Family', reduced: 'Reduced', supporting: 'Supporting' } },
    pages: ['About you', 'Your membership'],
  },
  form: {
    name: 'Empty',
    purpose: 'Only the email. You define the fields yourself.',
    title: '',
    submit: '',
    thanks: '',
  },
} satisfies Record<string, TemplateTexts>;

export type TemplateId = keyof typeof templates;
