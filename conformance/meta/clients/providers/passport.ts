import express from "express";
import session from "express-session";
import passport from "passport";
import { namjai } from "../generated/providers/passport.mjs";
import { serve, whoIs } from "./app.ts";

passport.use("namjai", namjai);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
app.use(session({ secret: "a secret of the application", resave: false, saveUninitialized: false }));
app.use(passport.session());
app.get("/login", passport.authenticate("namjai"));
app.get("/auth/namjai/callback", passport.authenticate("namjai", { successRedirect: "/" }));
app.get("/", async ({ user = {} }, response) => response.send(await whoIs(user, user.accessToken)));
serve(app);
