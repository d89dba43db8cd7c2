import express from "express";
import session from "express-session";
import Grant from "grant";
import { namjai } from "../generated/providers/grant.mjs";
import { origin, serve, whoIs } from "./app.ts";

const app = express();
app.use(session({ secret: "a secret of the application", resave: false, saveUninitialized: false }));
app.use(Grant.express({ defaults: { origin, transport: "session", state: true }, namjai: { ...namjai, callback: "/" } }));
app.get("/login", (_, response) => response.redirect("/connect/namjai"));
app.get("/", async (request, response) => {
  const { access_token: accessToken, profile, ...others } = request.session.grant?.response ?? {};
  if (others.error) return response.status(502).send(JSON.stringify(others.error));
  response.send(await whoIs({ id: profile?.data.streamer.id, name: profile?.data.streamer.handle }, accessToken));
});
serve(app);
