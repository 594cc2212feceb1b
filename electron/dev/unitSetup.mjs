/**
 * Runs before each test file. A test that builds a program with Vite leaves NODE_ENV at "production" in its process,
 * which the next file of the same worker would inherit: React then has no `act`.
 * Property tests take the same samples on every run; FC_SEED looks at others.
 */
import fc from "fast-check";

process.env.NODE_ENV = "test";
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_260_331) });
