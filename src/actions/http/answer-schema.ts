/** What an answer is in the outputs of a step. */
export const answerSchema = {
  type: 'object',
  required: ['status', 'headers', 'body'],
  properties: {
    status: { type: 'integer', description: 'The status of the answer.' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Its headers, names in lower case; of several cookies, one on each line.',
    },
    body: {
      description: 'The content: parsed if it is JSON, else a text, else base64. Null without content.',
    },
  },
} as const
