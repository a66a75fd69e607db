"""A front end of your own: shows what agents ask, and sends what you type.

    mcp-askuser token add my-front-end --answers    prints TOKEN, once
    mcp-askuser web                                 prints ADDRESS
    ADDRESS=... TOKEN=... python3 front_end.py
"""
import json, os, sys, urllib.request

def call(path, body=None):
    url = os.environ["ADDRESS"].split("/?")[0] + path
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(url, data, {"Authorization": "Bearer " + os.environ["TOKEN"]}))

def answer(record):
    answers = {}
    for question in record["questions"]:
        print(record.get("agentId") or record["asker"]["client"], "asks:", question["question"])
        labels = [option["label"] for option in question.get("options", [])]
        print("".join("  - " + label + "\n" for label in labels), end="")
        text = input("> ")
        answers[question["question_id"]] = {"other": text} if question["allow_custom"] and text not in labels else text
    print(json.load(call("/api/task/answer", {"id": record["id"], "answers": answers}))["message"], flush=True)

events, shown, event = call("/api/events"), set(), ""
waiting = json.load(call("/api/questions"))
while True:
    for record in [r for r in waiting if r["id"] not in shown]:
        shown.add(record["id"])
        answer(record)
    line = events.readline().decode()
    if not line:
        sys.exit("the connection to " + os.environ["ADDRESS"].split("/?")[0] + " has ended")
    key, _, value = line.strip().partition(": ")
    event = value if key == "event" else event
    waiting = [json.loads(value)] if key == "data" and event == "ask:question:request" else []
