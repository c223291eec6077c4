// Three sign-ups, two of them the same: the second one's steps are skipped. Prints four lines.

import { IdempotencyStore, idempotentSteps, SimpleQueue, workflow } from "twiceproof";
import type { Job, Step } from "twiceproof";

type Signup = { userId: string; email: string };

const steps: Step<Signup>[] = [
  { name: "save the user", run: async (job: Job<Signup>) => console.log(`saving ${job.data.email}`) },
  { name: "send the welcome email", run: async (job: Job<Signup>) => console.log(`emailing ${job.data.email}`) },
];

const store = new IdempotencyStore(24 * 60 * 60 * 1000);
const queue = new SimpleQueue<Signup>(workflow(idempotentSteps(steps, store, (job) => job.data.userId)));

queue.add({ userId: "user_1001", email: "ana@example.com" });
queue.add({ userId: "user_1001", email: "ana@example.com" });
queue.add({ userId: "user_1002", email: "bo@example.com" });
