/** What started a run by itself. */
export type StartedFrom =
  | {
      readonly kind: 'event'
      readonly hook: string
      readonly event_id: string
      /** Place of the trigger in the list of its runbook. */
      readonly trigger: number
    }
  | {
      readonly kind: 'schedule'
      readonly schedule: string
      /** RFC 3339: the time it was for. */
      readonly at: string
      /** Place of the trigger in the list of its runbook. */
      readonly trigger: number
    }
